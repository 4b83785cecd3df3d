public import Domain
import SQL

extension Transaction {
  public func insert(_ account: Account) throws {
    try session.run(
      """
      INSERT INTO account (id, name, username, role, created_at)
      VALUES (\(account.id), \(account.name), \(account.username), \(account.role.rawValue), \(account.createdAt))
      """)
  }

  /// Sees to it that there is ``Account/service``.
  public func insertServiceAccount(at now: Timestamp) throws {
    try session.run(
      """
      INSERT INTO account (id, name, role, created_at)
      VALUES (\(Account.service), \("Gatehouse"), \(Account.Role.service.rawValue), \(now)) ON CONFLICT (id) DO NOTHING
      """)
  }

  /// Never ``Account/service``, which is nobody.
  public func account(_ id: AccountID) throws -> Account? {
    try session.first(
      "SELECT \(.accountColumns) FROM account WHERE id = \(id) AND role <> \(Account.Role.service.rawValue)"
    ).map(Account.init(row:))
  }

  public func account(username: String) throws -> Account? {
    try session.first("SELECT \(.accountColumns) FROM account WHERE username = \(username)").map(Account.init(row:))
  }

  /// Every account, by name.
  public func accounts() throws -> [Account] {
    try session.rows(
      "SELECT \(.accountColumns) FROM account WHERE role <> \(Account.Role.service.rawValue) ORDER BY name, id"
    ).map(Account.init(row:))
  }

  /// Whether anybody can administer this installation.
  public func hasAdministrator() throws -> Bool {
    let role = Account.Role.administrator.rawValue
    return try session.first("SELECT count(*) AS n FROM account WHERE role = \(role)")?.integer("n") ?? 0 > 0
  }

  /// Whether somebody else than `id` can administer this installation now.
  public func hasActiveAdministrator(besides id: AccountID) throws -> Bool {
    let role = Account.Role.administrator.rawValue
    return try session.first(
      "SELECT id FROM account WHERE role = \(role) AND disabled_at IS NULL AND id <> \(id) LIMIT 1") != nil
  }

  /// Disables or enables an account; ends its sessions and tokens when it disables.
  public func setAccount(_ id: AccountID, disabled: Bool, at now: Timestamp) throws {
    try session.run("UPDATE account SET disabled_at = \(disabled ? now : nil) WHERE id = \(id)")
    guard disabled else { return }
    try deleteSessions(of: id)
    try revokeFamilies(of: id, at: now)
    try deleteLinks(of: id)
  }

  /// What is kept of an account's local password.
  public func password(of id: AccountID) throws -> StoredPassword? {
    try session.first("SELECT hash, changed_at FROM local_password WHERE account_id = \(id)").map {
      StoredPassword(hash: try $0.text("hash"), changedAt: try $0.time("changed_at"))
    }
  }

  /// Replaces the hash of a password that stays the same, unless it was changed meanwhile.
  public func rehashPassword(_ hash: String, of id: AccountID, insteadOf old: String) throws {
    try session.run("UPDATE local_password SET hash = \(hash) WHERE account_id = \(id) AND hash = \(old)")
  }

  /// Sets a password, which ends every link that was sent before.
  public func setPasswordHash(_ hash: String, of id: AccountID, at now: Timestamp) throws {
    try deleteLinks(of: id)
    try session.run(
      """
      INSERT INTO local_password (account_id, hash, changed_at) VALUES (\(id), \(hash), \(now))
      ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at
      """)
  }

  /// The account that an upstream identity signs in to.
  public func account(of identity: UpstreamIdentity) throws -> Account? {
    try session.first(
      """
      SELECT a.id, a.name, a.username, a.role, a.disabled_at, a.created_at
      FROM identity i JOIN account a ON a.id = i.account_id
      WHERE i.connection_id = \(identity.connection) AND i.issuer = \(identity.issuer)
        AND i.subject = \(identity.subject)
      """
    ).map(Account.init(row:))
  }

  /// Who else the account is at the same connection, if anybody.
  public func otherIdentity(than identity: UpstreamIdentity, of account: AccountID) throws -> UpstreamIdentity? {
    try session.first(
      """
      SELECT connection_id, issuer, subject, display_name FROM identity
      WHERE account_id = \(account) AND connection_id = \(identity.connection)
        AND (issuer <> \(identity.issuer) OR subject <> \(identity.subject)) ORDER BY linked_at DESC, subject LIMIT 1
      """
    ).map {
      UpstreamIdentity(
        connection: try $0.connectionID("connection_id"), issuer: try $0.text("issuer"),
        subject: try $0.text("subject"), displayName: try $0.text("display_name"))
    }
  }

  /// Lets nobody but `identity` sign in to the account through the same connection any more.
  public func unlinkOtherIdentities(than identity: UpstreamIdentity, of account: AccountID) throws {
    try session.run(
      """
      DELETE FROM identity
      WHERE account_id = \(account) AND connection_id = \(identity.connection)
        AND (issuer <> \(identity.issuer) OR subject <> \(identity.subject))
      """)
  }

  /// Lets nobody sign in to the account through the connection any more.
  public func unlinkIdentities(of account: AccountID, at connection: ConnectionID) throws {
    try session.run("DELETE FROM identity WHERE account_id = \(account) AND connection_id = \(connection)")
  }

  /// Links an identity to an account, or moves its link there.
  public func link(_ identity: UpstreamIdentity, to account: AccountID, at now: Timestamp) throws {
    try session.run(
      """
      INSERT INTO identity (connection_id, issuer, subject, account_id, display_name, linked_at)
      VALUES (\(identity.connection), \(identity.issuer), \(identity.subject), \(account), \(identity.displayName),
        \(now))
      ON CONFLICT (connection_id, issuer, subject)
      DO UPDATE SET account_id = excluded.account_id, display_name = excluded.display_name
      """)
  }

  public func insertSetupLink(_ hash: TokenHash, expiresAt: Timestamp) throws {
    try session.run("DELETE FROM setup_link WHERE consumed_at IS NULL")
    try session.run("INSERT INTO setup_link (hash, expires_at) VALUES (\(hash), \(expiresAt))")
  }

  /// Whether a setup link could be used now; looking does not use it.
  public func setupLinkIsOpen(_ hash: TokenHash, at now: Timestamp) throws -> Bool {
    try session.first(
      "SELECT hash FROM setup_link WHERE hash = \(hash) AND consumed_at IS NULL AND expires_at > \(now)") != nil
  }

  /// Uses up a setup link; `false` when it is unknown, expired or was used before.
  public func consumeSetupLink(_ hash: TokenHash, at now: Timestamp) throws -> Bool {
    try session.first(
      """
      UPDATE setup_link SET consumed_at = \(now)
      WHERE hash = \(hash) AND consumed_at IS NULL AND expires_at > \(now)
      RETURNING hash
      """) != nil
  }
}

extension Account {
  init(row: Row) throws { try self.init(row.identifier("id"), row) }

  /// Of a row that does not begin with the account's id.
  init(_ id: AccountID, _ row: Row) throws {
    self.init(
      id: id, name: try row.text("name"), username: try row.optionalText("username"),
      role: try row.parsed("role", Role.init(rawValue:)), isDisabled: try row.optionalInteger("disabled_at") != nil,
      createdAt: try row.time("created_at"))
  }
}

extension Columns {
  static let accountColumns = Columns("id, name, username, role, disabled_at, created_at")
}
