public import Domain
import SQL

extension Transaction {
  /// Keeps an invitation; of its link only the hash.
  public func insert(_ invitation: Invitation, link: TokenHash) throws {
    try session.run(
      """
      INSERT INTO invitation (id, connection_id, hash, name, username, created_at, expires_at)
      VALUES (\(invitation.id), \(invitation.connection), \(link), \(invitation.name), \(invitation.username),
        \(invitation.createdAt), \(invitation.expiresAt))
      """)
  }

  /// The invitation of a link, while nobody accepted or withdrew it; looking does not use it up.
  public func openInvitation(_ link: TokenHash, at now: Timestamp) throws -> Invitation? {
    try session.first(
      """
      SELECT \(.invitationColumns) FROM invitation
      WHERE hash = \(link) AND finished_at IS NULL AND expires_at > \(now)
      """
    ).map(Invitation.init(row:))
  }

  /// The oldest open invitation to a connection that names somebody by one of two names.
  public func openInvitation(
    to connection: ConnectionID, naming subject: String, or provenName: String?, at now: Timestamp
  ) throws -> Invitation? {
    try session.first(
      """
      SELECT \(.invitationColumns) FROM invitation
      WHERE connection_id = \(connection) AND (username = \(subject) OR username = \(provenName))
        AND finished_at IS NULL AND expires_at > \(now) ORDER BY created_at, id LIMIT 1
      """
    ).map(Invitation.init(row:))
  }

  /// The invitations that can still be accepted, the newest first.
  public func openInvitations(at now: Timestamp) throws -> [Invitation] {
    try session.rows(
      """
      SELECT \(.invitationColumns) FROM invitation WHERE finished_at IS NULL AND expires_at > \(now)
      ORDER BY created_at DESC, id
      """
    ).map(Invitation.init(row:))
  }

  /// Ends an invitation that was accepted or withdrawn, and returns it; `nil` when it was not open any more.
  public func finishInvitation(_ id: InvitationID, at now: Timestamp) throws -> Invitation? {
    try session.first(
      """
      UPDATE invitation SET finished_at = \(now)
      WHERE id = \(id) AND finished_at IS NULL AND expires_at > \(now) RETURNING \(.invitationColumns)
      """
    ).map(Invitation.init(row:))
  }

  /// Removes invitations that can no longer be accepted, at most 500; the audit log keeps what became of them.
  public func deleteInvitations(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM invitation WHERE id IN
        (SELECT id FROM invitation WHERE expires_at <= \(now) ORDER BY expires_at, id LIMIT 500)
      """)
  }
}

extension Invitation {
  init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), connection: try row.connectionID("connection_id"),
      name: try row.optionalText("name"), username: try row.optionalText("username"),
      createdAt: try row.time("created_at"), expiresAt: try row.time("expires_at"))
  }
}

extension Columns {
  static let invitationColumns = Columns("id, connection_id, name, username, created_at, expires_at")
}
