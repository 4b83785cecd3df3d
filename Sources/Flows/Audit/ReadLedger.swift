public import Domain
public import Storage

/// One vend, granted or refused.
public struct LedgerEntry: Sendable {
  public let entry: AuditEntry
  public let detail: VendDetail

  public var event: AuditEvent { entry.event }
}

/// One page of the ledger.
public struct LedgerPage: Sendable {
  /// How many entries a page has.
  public static let size = 50

  public let entries: [LedgerEntry]
  /// How many entries stand on the pages before.
  public let skipped: Int64
  /// The cursor of the next page; `nil` on the last one.
  public let next: String?
  /// Whether the page ends only because a long stretch of the log has been looked at; ``next`` goes on from there.
  public let isCutShort: Bool
}

extension Installation {
  /// The vends that `filter` means, newest first, a page at a time.
  ///
  /// `cursor` is from the page before; `nil` is the beginning. Throws a `Refusal` when it is not one of ours.
  public func ledger(
    _ filter: AuditFilter, after cursor: String?, limit: Int = LedgerPage.size
  ) async throws -> LedgerPage {
    let start = try self.cursor(cursor, in: .ledger)
    let (part, entries) = try await store.read { tx in
      let part = try tx.vends(filter, after: start.position, limit: limit + 1)
      return (part, try tx.named(Array(part.records.prefix(limit))))
    }
    let skipped = start.skipped + Int64(entries.count)
    let isFull = part.records.count > limit
    let last = isFull ? part.records[limit - 1] : nil
    let position = last.map { LedgerPosition(at: $0.event.at, id: $0.id) } ?? part.lookedUntil
    return LedgerPage(
      entries: entries.map { LedgerEntry(entry: $0, detail: VendDetail(of: $0.event)) }, skipped: start.skipped,
      next: position.map { signed("\(skipped)\n\($0.id)\n\($0.at.seconds)", for: ListCursor.List.ledger.rawValue) },
      isCutShort: !isFull && position != nil)
  }

  /// What one app took of one person's services.
  ///
  /// - Throws: `Refusal` `not_found` when the person allows the app nothing, and it never asked for anything of theirs.
  public func ledger(
    of client: ClientID, for account: AccountID, after cursor: String?
  ) async throws -> (app: String, isAllowed: Bool, page: LedgerPage) {
    var filter = AuditFilter()
    (filter.accounts, filter.clients) = ([account], [client])
    let page = try await ledger(filter, after: cursor)
    let (name, isAllowed) = try await store.read { tx in
      (try tx.client(client)?.name, try tx.consent(of: account, for: client) != nil)
    }
    guard isAllowed || !page.entries.isEmpty || page.skipped > 0 else {
      throw Refusal(.notFound, "No app of this id has asked for anything of yours.")
    }
    return (name ?? client.text, isAllowed, page)
  }
}

extension ListCursor {
  /// The last vend before it; `nil` at the beginning.
  fileprivate var position: LedgerPosition? {
    guard let id = Int64(place.id), let seconds = Int64(place.name) else { return nil }
    return LedgerPosition(at: Timestamp(seconds: seconds), id: id)
  }
}

/// The vends that a filter means by how they ended.
public enum LedgerOutcome: String, Sendable, CaseIterable {
  case granted
  case refused

  public var names: [AuditEvent.Name] { self == .granted ? [.vended] : [.vendRefused] }
}
