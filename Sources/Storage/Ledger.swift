public import Domain
import SQL

/// A place among the vends, newest first: the last one before it.
public struct LedgerPosition: Sendable, Equatable {
  public let at: Timestamp
  public let id: Int64

  public init(at: Timestamp, id: Int64) {
    self.at = at
    self.id = id
  }
}

/// What was found of the vends that somebody asked for.
public struct LedgerPart: Sendable {
  public var records: [AuditRecord] = []
  /// How far the search went, when it ended before everything was looked at.
  public var lookedUntil: LedgerPosition?
}

extension Transaction {
  /// How many rows one call looks at, at most, so that a rare vend in a long log holds up nobody.
  private static let mostLookedAt = 10_000

  /// The vends that `filter` means behind `position`, newest first, and not more than `limit`.
  ///
  /// Those of accounts are found by their index, each app's for itself; of all others a stretch of the log is read.
  public func vends(_ filter: AuditFilter, after position: LedgerPosition?, limit: Int) throws -> LedgerPart {
    var filter = filter
    if filter.names.isEmpty { filter.names = [.vended, .vendRefused] }
    return filter.accounts.isEmpty
      ? try vendsInLog(filter, before: position?.id, limit: limit)
      : try vendsOfAccounts(filter, after: position, limit: limit)
  }

  private func vendsInLog(_ filter: AuditFilter, before id: Int64?, limit: Int) throws -> LedgerPart {
    let end = min(id ?? .max, filter.until.map(AuditRecord.firstID) ?? .max)
    let begin = filter.from.map(AuditRecord.firstID) ?? .min
    let stretch = try session.first(.lowest(of: Self.mostLookedAt, from: begin, before: end))
    guard let stretch, let lowest = try stretch.optionalInteger("lowest") else { return LedgerPart() }
    let records = try auditRecords(filter, from: lowest, before: end, limit: Int64(limit))
    let isCutShort = try stretch.integer("n") == Self.mostLookedAt && records.count < limit
    // Only the id counts where no account is named.
    let last = LedgerPosition(at: Timestamp(seconds: lowest >> 20), id: lowest)
    return LedgerPart(records: records, lookedUntil: isCutShort ? last : nil)
  }

  private func vendsOfAccounts(
    _ filter: AuditFilter, after position: LedgerPosition?, limit: Int
  ) throws -> LedgerPart {
    let uses = try filter.accounts.flatMap { account in
      let clients = filter.clients.isEmpty ? try apps(of: account) : filter.clients
      return clients.flatMap { client in filter.names.map { LedgerUse(account: account, client: client, name: $0) } }
    }
    var (part, place, looked) = (LedgerPart(), position, 0)
    while looked < Self.mostLookedAt {
      let places = try uses.flatMap { use in
        try session.rows(.places(of: use, filter, after: place, limit: limit)).map {
          LedgerPosition(at: try $0.time("at"), id: try $0.integer("id"))
        }
      }.sorted { ($1.at, $1.id) < ($0.at, $0.id) }.prefix(limit)
      for next in places {
        place = next
        guard let record = try auditRecord(next.id), filter.means(record.event.connection) else { continue }
        part.records.append(record)
        if part.records.count == limit { return part }
      }
      if places.count < limit { return part }
      looked += max(places.count, 1)
    }
    part.lookedUntil = place
    return part
  }

  /// The clients that the log tells of together with an account: one step of the index for each.
  func apps(of account: AccountID) throws -> [ClientID] {
    try session.rows(.apps(of: account)).map { try $0.identifier("id") }
  }

  private func auditRecord(_ id: Int64) throws -> AuditRecord? {
    try session.first("SELECT \(.auditColumns) FROM audit WHERE id = \(id)").map(AuditRecord.init(row:))
  }
}

/// What one app did for one account, with one outcome: what stands side by side in the index.
struct LedgerUse: Sendable {
  let account: AccountID
  let client: ClientID
  let name: AuditEvent.Name
}

extension AuditFilter {
  fileprivate func means(_ connection: ConnectionID?) -> Bool {
    connections.isEmpty || connection.map(connections.contains) ?? false
  }
}

extension Statement {
  /// The places of `use`, newest first; of the index alone.
  static func places(
    of use: LedgerUse, _ filter: AuditFilter, after place: LedgerPosition?, limit: Int
  ) -> Statement {
    let (from, until) = (filter.from ?? Timestamp(seconds: .min), filter.until ?? Timestamp(seconds: .max))
    let (at, id) = (place?.at ?? Timestamp(seconds: .max), place?.id ?? .max)
    return """
      SELECT at, id FROM audit
      WHERE account_id = \(use.account) AND client_id = \(use.client) AND name = \(use.name.rawValue)
        AND at >= \(from) AND at < \(until) AND at <= \(at) AND (at < \(at) OR id < \(id))
      ORDER BY at DESC, id DESC LIMIT \(limit)
      """
  }

  /// The lowest id among the newest `count` rows from `begin` on before `end`, and how many these are.
  static func lowest(of count: Int, from begin: Int64, before end: Int64) -> Statement {
    """
    SELECT min(id) AS lowest, count(*) AS n FROM
      (SELECT id FROM audit WHERE id >= \(begin) AND id < \(end) ORDER BY id DESC LIMIT \(count)) AS stretch
    """
  }

  static func apps(of account: AccountID) -> Statement {
    """
    WITH RECURSIVE app (id) AS (
      SELECT min(client_id) FROM audit WHERE account_id = \(account) AND client_id > ''
      UNION ALL
      SELECT (SELECT min(client_id) FROM audit WHERE account_id = \(account) AND client_id > app.id)
      FROM app WHERE app.id IS NOT NULL
    )
    SELECT id FROM app WHERE id IS NOT NULL ORDER BY id
    """
  }
}
