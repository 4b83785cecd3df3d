public import Domain
import SQL

/// One password that is passed on to an upstream, counted before it leaves.
public struct PasswordTry: Sendable, Identified {
  public static let idPrefix = "try"

  public let id: Identifier<PasswordTry>
  public let connection: ConnectionID
  /// Of the user name as ``FoldedUsername`` has it.
  public let username: TokenHash
  /// Who tried.
  public let account: AccountID
  public let at: Timestamp

  public init(
    id: Identifier<PasswordTry>, connection: ConnectionID, username: TokenHash, account: AccountID, at: Timestamp
  ) {
    self.id = id
    self.connection = connection
    self.username = username
    self.account = account
    self.at = at
  }
}

extension Transaction {
  /// When passwords for the same user name were passed on, by anybody or by the same account alone; those that still
  /// count are the caller's to choose.
  public func passwordTries(like one: PasswordTry) throws -> (all: [Timestamp], own: [Timestamp]) {
    let rows = try session.rows(
      """
      SELECT account_id, tried_at FROM password_try
      WHERE connection_id = \(one.connection) AND username_hash = \(one.username) ORDER BY tried_at
      """
    ).map { (try $0.identifier("account_id", of: Account.self), try $0.time("tried_at")) }
    return (rows.map(\.1), rows.filter { $0.0 == one.account }.map(\.1))
  }

  /// When `account` had passwords passed on, for any user name at any connection.
  public func passwordTries(of account: AccountID) throws -> [Timestamp] {
    try session.rows("SELECT tried_at FROM password_try WHERE account_id = \(account) ORDER BY tried_at")
      .map { try $0.time("tried_at") }
  }

  public func insert(_ one: PasswordTry) throws {
    try session.run(
      """
      INSERT INTO password_try (id, connection_id, username_hash, account_id, tried_at)
      VALUES (\(one.id), \(one.connection), \(one.username), \(one.account), \(one.at))
      """)
  }

  /// Uncounts a try that nobody judged.
  public func takeBack(_ one: PasswordTry) throws {
    try session.run("DELETE FROM password_try WHERE id = \(one.id)")
  }

  /// Forgets the tries once the password was right.
  public func forgivePasswordTries(like one: PasswordTry) throws {
    try session.run(
      """
      DELETE FROM password_try WHERE connection_id = \(one.connection) AND username_hash = \(one.username)
      """)
  }

  /// Removes tries that no longer count, at most 500.
  public func deletePasswordTries(before time: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM password_try WHERE id IN
        (SELECT id FROM password_try WHERE tried_at <= \(time) ORDER BY tried_at, id LIMIT 500)
      """)
  }
}
