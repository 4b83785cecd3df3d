import Domain
public import Storage

extension Installation {
  /// The clients by name, a page at a time.
  ///
  /// `cursor` is from the page before; `nil` is the beginning. Throws a `Refusal` when it is not one of ours.
  public func clients(after cursor: String?) async throws -> ListPage<ClientEntry> {
    let start = try self.cursor(cursor, in: .clients)
    let (read, total) = try await store.read { tx in
      (try tx.clients(after: start.place, limit: ListPage<ClientEntry>.size + 1), try tx.countClients())
    }
    return page(read, of: total, at: start, in: .clients) {
      ListPosition(name: $0.client.name, id: $0.client.id.text)
    }
  }

  /// The accounts by name, a page at a time.
  ///
  /// `cursor` is from the page before; `nil` is the beginning. Throws a `Refusal` when it is not one of ours.
  public func accounts(after cursor: String?) async throws -> ListPage<AccountEntry> {
    let (start, now) = (try self.cursor(cursor, in: .accounts), clock.now())
    let (read, total) = try await store.read { tx in
      (try tx.accounts(after: start.place, limit: ListPage<AccountEntry>.size + 1, at: now), try tx.countAccounts())
    }
    return page(read, of: total, at: start, in: .accounts) {
      ListPosition(name: $0.account.name, id: $0.account.id.text)
    }
  }

  /// What `filter` means of the audit log, newest first, a page at a time.
  ///
  /// `cursor` is from the page before; `nil` is the beginning. Throws a `Refusal` when it is not one of ours.
  public func auditLog(_ filter: AuditFilter = AuditFilter(), after cursor: String?) async throws -> ListPage<
    AuditEntry
  > {
    let start = try self.cursor(cursor, in: .audit)
    let before = start.place == .start ? nil : Int64(start.place.id)
    let (read, entries, total) = try await store.read { tx in
      let read = try tx.auditRecords(filter, before: before, limit: ListPage<AuditEntry>.size + 1)
      return (read, try tx.named(read), try tx.countAuditRecords(filter))
    }
    let pairs = page(Array(zip(read, entries)), of: total, at: start, in: .audit) {
      ListPosition(name: "", id: String($0.0.id))
    }
    return ListPage(entries: pairs.entries.map(\.1), skipped: pairs.skipped, total: total, next: pairs.next)
  }
}
