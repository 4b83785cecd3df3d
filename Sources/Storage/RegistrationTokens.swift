public import Domain
import SQL

extension Transaction {
  /// Keeps an initial access token; of its text only the hash.
  public func insert(_ token: RegistrationToken, hash: TokenHash) throws {
    try session.run(
      """
      INSERT INTO registration_token (id, hash, name, uses, used, created_at, expires_at)
      VALUES (\(token.id), \(hash), \(token.name), \(token.uses), \(token.used), \(token.createdAt),
        \(token.expiresAt))
      """)
  }

  /// The token of a hash, while apps may register with it; looking does not use it.
  public func liveRegistrationToken(_ hash: TokenHash, at now: Timestamp) throws -> RegistrationToken? {
    try session.first(
      """
      SELECT \(.registrationTokenColumns) FROM registration_token
      WHERE hash = \(hash) AND used < uses AND expires_at > \(now)
      """
    ).map(RegistrationToken.init(row:))
  }

  /// Uses a token once; `nil` when there is no use left.
  public func useRegistrationToken(_ hash: TokenHash, at now: Timestamp) throws -> RegistrationTokenID? {
    try session.first(
      """
      UPDATE registration_token SET used = used + 1
      WHERE hash = \(hash) AND used < uses AND expires_at > \(now) RETURNING id
      """
    ).map { try $0.identifier("id") }
  }

  /// The tokens that have not expired, the newest first; some may have been used up.
  public func registrationTokens(at now: Timestamp) throws -> [RegistrationToken] {
    try session.rows(
      """
      SELECT \(.registrationTokenColumns) FROM registration_token WHERE expires_at > \(now)
      ORDER BY created_at DESC, id
      """
    ).map(RegistrationToken.init(row:))
  }

  /// What a token was called, as long as it is kept.
  public func registrationTokenName(_ id: RegistrationTokenID) throws -> String? {
    try session.first("SELECT name FROM registration_token WHERE id = \(id)")?.text("name")
  }

  public func deleteRegistrationToken(_ id: RegistrationTokenID) throws -> Bool {
    try session.run("DELETE FROM registration_token WHERE id = \(id)") > 0
  }

  /// Removes tokens that have expired, at most 500.
  public func deleteRegistrationTokens(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM registration_token WHERE id IN
        (SELECT id FROM registration_token WHERE expires_at <= \(now) ORDER BY expires_at, id LIMIT 500)
      """)
  }
}

extension RegistrationToken {
  fileprivate init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), name: try row.text("name"), uses: try row.integer("uses"),
      used: try row.integer("used"), createdAt: try row.time("created_at"), expiresAt: try row.time("expires_at"))
  }
}

extension Columns {
  fileprivate static let registrationTokenColumns = Columns("id, name, uses, used, created_at, expires_at")
}
