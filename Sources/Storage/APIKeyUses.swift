public import Domain
import SQL

/// How an API key was used since this was last written down.
public struct APIKeyUse: Sendable, Equatable {
  public let key: APIKeyID
  /// Days since 1970, in UTC.
  public let day: Int64
  public var calls: Int64 = 0
  /// Of requests that showed the right secret.
  public var refusals: Int64 = 0
  /// When each slot was last used, by its number.
  public var lastUses: [Int64: Timestamp] = [:]

  /// A year and a month to compare with.
  public static let daysKept: Int64 = 396

  public init(key: APIKeyID, day: Int64) {
    self.key = key
    self.day = day
  }

  public static func day(of now: Timestamp) -> Int64 { now.seconds / 86_400 }
}

extension Store {
  /// Adds up how keys were used, after everything that somebody waits for; ``changeVersion`` stays.
  public func add(_ uses: [APIKeyUse]) async throws {
    try await database.writeInBackground { session in
      let transaction = Transaction(session: session, marks: nil)
      for use in uses { try transaction.add(use) }
    }
  }
}

extension Transaction {
  /// Nothing for a key that is deleted.
  fileprivate func add(_ use: APIKeyUse) throws {
    try session.run(
      """
      INSERT INTO api_key_day (key_id, day, calls, refusals)
      SELECT id, \(use.day), \(use.calls), \(use.refusals) FROM api_key WHERE id = \(use.key)
      ON CONFLICT (key_id, day) DO UPDATE SET calls = api_key_day.calls + excluded.calls,
        refusals = api_key_day.refusals + excluded.refusals
      """)
    for (number, time) in use.lastUses {
      try session.run(
        """
        UPDATE api_key_slot SET last_used_at = \(time)
        WHERE key_id = \(use.key) AND number = \(number) AND coalesce(last_used_at, 0) < \(time)
        """)
    }
  }

  /// The calls and refusals of each day from `first` on, the oldest first; a day without any is left out.
  public func uses(of key: APIKeyID, from first: Int64) throws -> [APIKeyUse] {
    try session.rows(
      "SELECT day, calls, refusals FROM api_key_day WHERE key_id = \(key) AND day >= \(first) ORDER BY day"
    ).map { row in
      var use = APIKeyUse(key: key, day: try row.integer("day"))
      (use.calls, use.refusals) = (try row.integer("calls"), try row.integer("refusals"))
      return use
    }
  }

  /// Forgets keys that were ended before `limit`, with their uses, at most 500.
  public func deleteAPIKeys(revokedBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM api_key WHERE id IN
        (SELECT id FROM api_key WHERE revoked_at < \(limit) ORDER BY revoked_at, id LIMIT 500)
      """)
  }

  /// Forgets the earliest day of all, if it is before `limit`.
  public func deleteAPIKeyUses(before limit: Int64) throws -> Int {
    try session.run(
      "DELETE FROM api_key_day WHERE day < \(limit) AND day = (SELECT min(day) FROM api_key_day)")
  }
}
