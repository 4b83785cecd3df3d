public import Domain
import SQL

extension Transaction {
  public func insert(_ challenge: StandingChallenge) throws {
    try session.run(
      """
      INSERT INTO challenge (handle, browser_hash, account_id, resource, origin, client_id, connection_id,
        authorization_handle, rejected, attempts, expires_at)
      VALUES (\(challenge.handle), \(challenge.browser), \(challenge.account), \(challenge.resource.text),
        \(challenge.resource.origin), \(challenge.waiting?.client), \(challenge.waiting?.connection),
        \(challenge.authorization), \(challenge.rejected.map(\.text).asLines), \(challenge.attempts),
        \(challenge.expiresAt))
      """)
  }

  /// The challenge that `browser` holds for `account`; `nil` once it has ended or expired.
  public func challenge(
    _ handle: TokenHash, browser: TokenHash, account: AccountID, at now: Timestamp
  ) throws -> StandingChallenge? {
    try session.first(
      """
      SELECT handle, browser_hash, account_id, resource, client_id, connection_id, authorization_handle, rejected,
        attempts, expires_at
      FROM challenge
      WHERE handle = \(handle) AND browser_hash = \(browser) AND account_id = \(account) AND ending IS NULL
        AND expires_at > \(now)
      """
    ).map(StandingChallenge.init(row:))
  }

  /// Counts a sign-in that begins; false when there have been too many.
  public func countAttempt(of handle: TokenHash) throws -> Bool {
    try session.first(
      """
      UPDATE challenge SET attempts = attempts + 1
      WHERE handle = \(handle) AND ending IS NULL AND attempts < \(StandingChallenge.mostAttempts) RETURNING handle
      """) != nil
  }

  /// Keeps what the person does not want to use.
  public func reject(_ connections: [ConnectionID], in handle: TokenHash) throws {
    try session.run(
      "UPDATE challenge SET rejected = \(connections.map(\.text).asLines) WHERE handle = \(handle) AND ending IS NULL")
  }

  /// Ends a challenge; `words` are for the app that waits.
  public func end(_ handle: TokenHash, _ ending: StandingChallenge.Ending, words: String) throws {
    try session.run(
      """
      UPDATE challenge SET ending = \(ending.rawValue), words = \(words) WHERE handle = \(handle) AND ending IS NULL
      """)
  }

  /// How `account` ended a challenge on `origin` that `client` waited for, if it has not been told yet.
  public func untoldEnding(
    of account: AccountID, for client: ClientID, on origin: String, at now: Timestamp
  ) throws -> (handle: TokenHash, ending: StandingChallenge.Ending, words: String)? {
    try session.first(
      """
      SELECT handle, ending, words FROM challenge
      WHERE account_id = \(account) AND client_id = \(client) AND origin = \(origin) AND ending IS NOT NULL
        AND told_at IS NULL AND expires_at > \(now)
      ORDER BY expires_at DESC LIMIT 1
      """
    ).map { row in
      (try row.hash("handle"), try row.parsed("ending") { .init(rawValue: $0) }, try row.text("words"))
    }
  }

  /// Notes that the app knows of this ending and of those before it; false when it was told of all meanwhile.
  public func markTold(_ handle: TokenHash, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE challenge SET told_at = \(now)
      WHERE ending IS NOT NULL AND told_at IS NULL AND (account_id, client_id, origin) =
        (SELECT account_id, client_id, origin FROM challenge WHERE handle = \(handle))
      """) > 0
  }

  /// Removes challenges that can no longer go on, at most 500.
  public func deleteChallenges(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM challenge WHERE handle IN
        (SELECT handle FROM challenge WHERE expires_at <= \(now) ORDER BY expires_at, handle LIMIT 500)
      """)
  }
}

extension StandingChallenge {
  fileprivate init(row: Row) throws {
    let client = try row.optionalText("client_id").flatMap(ClientID.init)
    let connection = try row.optionalText("connection_id").flatMap(ConnectionID.init)
    let waiting = client.flatMap { client in connection.map { Waiting(client: client, connection: $0) } }
    self.init(
      handle: try row.hash("handle"), browser: try row.hash("browser_hash"), account: try row.identifier("account_id"),
      resource: try row.parsed("resource") { ResourceURL($0) }, waiting: waiting,
      authorization: try row.optionalText("authorization_handle"), expiresAt: try row.time("expires_at"))
    rejected = try row.lines("rejected").compactMap(ConnectionID.init)
    attempts = try row.integer("attempts")
  }
}
