public import Domain
import SQL

extension Transaction {
  /// Stores what a person allows a client, in place of what they allowed before.
  public func put(_ consent: Consent) throws {
    try session.run(
      """
      INSERT INTO consent (account_id, client_id, scope, connections, unattended, given_at)
      VALUES (\(consent.account), \(consent.client), \(consent.scope.text), \(consent.connections.map(\.text).asLines),
        \(consent.unattended.map(\.text).asLines), \(consent.givenAt))
      ON CONFLICT (account_id, client_id) DO UPDATE
      SET scope = excluded.scope, connections = excluded.connections, unattended = excluded.unattended,
        given_at = excluded.given_at
      """)
  }

  public func consent(of account: AccountID, for client: ClientID) throws -> Consent? {
    try session.first(
      """
      SELECT account_id, client_id, scope, connections, unattended, given_at FROM consent
      WHERE account_id = \(account) AND client_id = \(client)
      """
    ).map(Consent.init(row:))
  }

  /// Everything that an account allows.
  public func consents(of account: AccountID) throws -> [Consent] {
    try session.rows(
      """
      SELECT account_id, client_id, scope, connections, unattended, given_at FROM consent
      WHERE account_id = \(account) ORDER BY client_id
      """
    ).map(Consent.init(row:))
  }

  /// Withdraws a consent with the app passwords that rest on it; the client's tokens for this account must be ended beside
  /// it.
  @discardableResult
  public func deleteConsent(of account: AccountID, for client: ClientID) throws -> Bool {
    try session.run("DELETE FROM app_password WHERE account_id = \(account) AND client_id = \(client)")
    return try session.run("DELETE FROM consent WHERE account_id = \(account) AND client_id = \(client)") > 0
  }
}

extension Transaction {
  /// Some of the consents that name a connection.
  public func consents(naming connection: ConnectionID, limit: Int64) throws -> [Consent] {
    let (lineBreak, line) = ("\n", "\n\(connection)\n")
    let (blank, word) = (" ", " \(Scope.arcGIS(connection).text) ")
    // What `replace` changes holds the line; LIKE would mean another thing on every database.
    return try session.rows(
      """
      SELECT account_id, client_id, scope, connections, unattended, given_at FROM consent
      WHERE replace(\(lineBreak) || connections || \(lineBreak), \(line), '')
        <> \(lineBreak) || connections || \(lineBreak)
        OR replace(\(blank) || scope || \(blank), \(word), '') <> \(blank) || scope || \(blank)
      ORDER BY account_id, client_id LIMIT \(limit)
      """
    ).map(Consent.init(row:))
  }

  /// Takes one connection out of every consent of an account, when somebody else's credential may come to stand there;
  /// its app passwords end, too.
  public func withdrawConsents(of account: AccountID, to connection: ConnectionID, at now: Timestamp) throws {
    for password in try appPasswords(of: account) where password.connection == connection {
      try endAppPassword(password.id, at: now)
    }
    for consent in try consents(of: account) {
      let rest = consent.without(connection)
      if rest != consent { try put(rest) }
    }
  }
}

extension Consent {
  init(row: Row) throws {
    self.init(
      account: try row.identifier("account_id"), client: try row.identifier("client_id"),
      scope: try row.parsed("scope") { Scope($0) },
      connections: try row.lines("connections").compactMap(ConnectionID.init),
      unattended: try row.lines("unattended").compactMap(ConnectionID.init),
      givenAt: try row.time("given_at"))
  }
}
