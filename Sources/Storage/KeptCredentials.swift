public import Domain
import SQL

extension Transaction {
  /// Keeps nothing of a connection for more than `seconds` after it was connected.
  public func limitKeeping(of connection: ConnectionID, to seconds: Int64) throws {
    try session.run(
      """
      UPDATE credential SET kept_until = connected_at + \(seconds)
      WHERE connection_id = \(connection) AND (kept_until IS NULL OR kept_until > connected_at + \(seconds))
      """)
  }

  /// Credentials that are past the day until which they were to be kept, and those of browser sessions that are over.
  ///
  /// A session counts as used also while an app uses what was connected in it.
  public func credentialsKeptTooLong(at now: Timestamp, limit: Int64) throws -> [Credential] {
    let person = BrowserSession.Kind.person
    return try session.rows(
      """
      SELECT \(.credentialColumns) FROM credential
      WHERE state <> 'closing' AND kept_until <= \(now)
      UNION
      SELECT \(.credentialColumns) FROM credential
      WHERE state <> 'closing' AND kept_session IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM session s WHERE s.hash = credential.kept_session
          AND s.authenticated_at > \(now - person.absoluteLimit)
          AND (s.last_seen_at > \(now - person.idleLimit) OR credential.last_used_at > \(now - person.idleLimit)))
      ORDER BY id LIMIT \(limit)
      """
    ).map(Credential.init(row:))
  }
}
