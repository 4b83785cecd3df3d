public import Domain
import SQL

/// How often something was taken on one day, since this was last written down.
public struct CountedVends: Sendable, Equatable {
  /// What the use is found by: the same for the same use.
  public let id: Int64
  public let use: VendUse
  public let day: Int64
  public var calls: Int64
  public var refusals: Int64

  public init(id: Int64, use: VendUse, day: Int64, calls: Int64, refusals: Int64) {
    self.id = id
    self.use = use
    self.day = day
    self.calls = calls
    self.refusals = refusals
  }
}

extension Store {
  /// Adds up how much was vended, after everything that somebody waits for; ``changeVersion`` stays.
  public func add(_ counted: [CountedVends]) async throws {
    try await database.writeInBackground { session in
      let transaction = Transaction(session: session, marks: nil)
      for one in counted { try transaction.add(one) }
    }
  }
}

extension Transaction {
  fileprivate func add(_ counted: CountedVends) throws {
    let use = counted.use
    try session.run(
      """
      INSERT INTO vend_use (id, client_id, key_id, connection_id, account_id, resource, last_day)
      VALUES (\(counted.id), \(use.client), \(use.key?.text ?? ""), \(use.connection?.text ?? ""),
        \(use.account?.text ?? ""), \(use.resource ?? ""), \(counted.day))
      ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day WHERE vend_use.last_day < excluded.last_day
      """)
    try session.run(
      """
      INSERT INTO vend_use_day (use_id, day, calls, refusals)
      VALUES (\(counted.id), \(counted.day), \(counted.calls), \(counted.refusals))
      ON CONFLICT (use_id, day) DO UPDATE SET calls = vend_use_day.calls + excluded.calls,
        refusals = vend_use_day.refusals + excluded.refusals
      """)
  }

  /// Forgets what was last taken before `limit`, at most 500 uses.
  public func deleteVendUses(before limit: Int64) throws -> Int {
    try session.run(
      """
      DELETE FROM vend_use WHERE id IN
        (SELECT id FROM vend_use WHERE last_day < \(limit) ORDER BY last_day, id LIMIT 500)
      """)
  }

  /// Forgets what was counted on the earliest day of all, if that is before `limit`, at most 500 uses of it.
  public func deleteVendUseDays(before limit: Int64) throws -> Int {
    guard let earliest = try session.first("SELECT min(day) AS day FROM vend_use_day")?.optionalInteger("day"),
      earliest < limit
    else { return 0 }
    return try session.run(
      """
      DELETE FROM vend_use_day WHERE day = \(earliest) AND use_id IN
        (SELECT use_id FROM vend_use_day WHERE day = \(earliest) ORDER BY use_id LIMIT 500)
      """)
  }
}
