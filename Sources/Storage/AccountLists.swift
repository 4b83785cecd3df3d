public import Domain
import SQL

/// An account in the administrator's list.
public struct AccountEntry: Sendable {
  public let account: Account
  /// How many browsers are signed in.
  public let sessions: Int64
  public let lastSignIn: Timestamp?
  /// The name of a connection that signs in to it, and as whom; `nil` when only a local password does.
  public let connection: (name: String, identity: String)?
}

extension Transaction {
  /// The accounts after a place, by name.
  public func accounts(after place: ListPosition, limit: Int64, at now: Timestamp) throws -> [AccountEntry] {
    try session.rows(
      """
      SELECT \(.accountColumns) FROM account
      WHERE (name, id) > (\(place.name), \(place.id)) AND role <> \(Account.Role.service.rawValue)
      ORDER BY name, id LIMIT \(limit)
      """
    ).map { try accountEntry(Account(row: $0), at: now) }
  }

  private func accountEntry(_ account: Account, at now: Timestamp) throws -> AccountEntry {
    let signedIn = AuditEvent.Name.signInSucceeded.rawValue
    let last = try session.first(
      "SELECT max(at) AS at FROM audit WHERE account_id = \(account.id) AND name = \(signedIn)")
    let link = try session.first(
      """
      SELECT c.name, i.display_name FROM identity i JOIN connection c ON c.id = i.connection_id
      WHERE i.account_id = \(account.id)
        AND NOT EXISTS (SELECT 1 FROM local_password p WHERE p.account_id = i.account_id)
      ORDER BY i.linked_at, c.name LIMIT 1
      """)
    return AccountEntry(
      account: account, sessions: Int64(try sessions(of: account.id).count { $0.isLive(at: now) }),
      lastSignIn: try last?.optionalTime("at"),
      connection: try link.map { (try $0.text("name"), try $0.text("display_name")) })
  }

  public func countAccounts() throws -> Int64 {
    try session.first(
      "SELECT count(*) AS n FROM account WHERE role <> \(Account.Role.service.rawValue)")?.integer("n") ?? 0
  }

  /// How many browsers are signed in, both kinds together.
  public func countLiveSessions(at now: Timestamp) throws -> Int64 {
    let (person, administrator) = (BrowserSession.Kind.person, BrowserSession.Kind.administrator)
    return try session.first(
      """
      SELECT count(*) AS n FROM session
      WHERE (kind = \(person.rawValue) AND last_seen_at > \(now - person.idleLimit)
          AND authenticated_at > \(now - person.absoluteLimit))
        OR (kind = \(administrator.rawValue) AND last_seen_at > \(now - administrator.idleLimit)
          AND authenticated_at > \(now - administrator.absoluteLimit))
      """)?.integer("n") ?? 0
  }
}
