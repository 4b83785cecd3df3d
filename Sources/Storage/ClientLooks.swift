public import Domain
import SQL

extension Migration {
  /// Part of the first release: the logos and colours of clients.
  static let clientLooks: [Statement] = [
    """
    CREATE TABLE client_look (
      client_id  text   NOT NULL PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
      accent     text,
      logo       blob,
      changed_at bigint NOT NULL
    )
    """
  ]
}

extension Transaction {
  /// How the pages of a client look; `nil` when they look like all others.
  public func look(of client: ClientID) throws -> ClientLook? {
    try session.first("SELECT accent, logo FROM client_look WHERE client_id = \(client)").map {
      ClientLook(accent: try $0.optionalText("accent"), logo: try $0.optionalBytes("logo"))
    }
  }

  /// The same without the logo itself.
  public func lookMark(of client: ClientID) throws -> ClientLookMark? {
    try session.first(
      """
      SELECT CASE WHEN accent IS NULL THEN 0 ELSE 1 END AS has_accent, CASE WHEN logo IS NULL THEN 0 ELSE 1 END AS has_logo,
        changed_at FROM client_look WHERE client_id = \(client)
      """
    ).map {
      ClientLookMark(
        client: client, hasAccent: try $0.boolean("has_accent"), hasLogo: try $0.boolean("has_logo"),
        changedAt: try $0.time("changed_at"))
    }
  }

  /// Gives a client another look, or takes it away.
  public func setLook(_ look: ClientLook, of client: ClientID, at now: Timestamp) throws {
    try session.run("DELETE FROM client_look WHERE client_id = \(client)")
    guard !look.isPlain else { return }
    try session.run(
      """
      INSERT INTO client_look (client_id, accent, logo, changed_at)
      VALUES (\(client), \(look.accent), \(look.logo), \(now))
      """)
  }
}
