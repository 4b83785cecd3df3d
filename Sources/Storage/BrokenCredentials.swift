public import Domain
import SQL

extension Transaction {
  /// Notes that the owner of a credential is told that it works no longer; `false` when they were before.
  public func noteBroken(_ id: CredentialID, at now: Timestamp) throws -> Bool {
    try session.run(
      "UPDATE credential SET broken_told_at = \(now) WHERE id = \(id) AND broken_told_at IS NULL") > 0
  }

  /// Notes that a credential works again; `false` when nobody was told otherwise.
  public func noteRecovered(_ id: CredentialID) throws -> Bool {
    try session.run("UPDATE credential SET ending_told_at = NULL WHERE id = \(id) AND ending_told_at IS NOT NULL")
    return try session.run(
      "UPDATE credential SET broken_told_at = NULL WHERE id = \(id) AND broken_told_at IS NOT NULL") > 0
  }

  /// Whether the owner was told that what they hold for a connection works no longer.
  public func wasToldBroken(of account: AccountID, for connection: ConnectionID) throws -> Bool {
    try session.first(
      """
      SELECT id FROM credential
      WHERE account_id = \(account) AND connection_id = \(connection) AND broken_told_at IS NOT NULL
      """) != nil
  }

  /// Notes that it was told that a credential will end; `false` when it was before.
  public func noteEnding(_ id: CredentialID, at now: Timestamp) throws -> Bool {
    try session.run(
      "UPDATE credential SET ending_told_at = \(now) WHERE id = \(id) AND ending_told_at IS NULL") > 0
  }

  /// Some that end soon without anybody having been told, and that nobody but their owner can renew
  /// (``Domain/ExpiryWarning``).
  public func untoldEndingCredentials(at now: Timestamp, limit: Int64) throws -> [Credential] {
    let (month, day) = (ExpiryWarning.month, ExpiryWarning.day)
    let (key, certificate) = (Connection.Kind.apiKey.rawValue, Connection.Kind.certificate.rawValue)
    return try session.rows(
      """
      SELECT \(.credentialColumns) FROM (
        SELECT k.id, k.account_id, k.connection_id, k.issuer, k.subject, k.display_name, k.state, k.generation,
          k.access_expires_at, k.refresh_expires_at, k.can_refresh, k.connected_at, k.refreshed_at, k.last_used_at,
          k.kept_until, k.kept_session, k.sid, k.offline, c.kind,
          CASE WHEN k.can_refresh = 1 THEN k.refresh_expires_at ELSE k.access_expires_at END AS ends_at
        FROM credential k JOIN connection c ON c.id = k.connection_id
        WHERE k.state = 'active' AND k.ending_told_at IS NULL
      ) AS dated
      WHERE ends_at > \(now) AND ends_at - CASE WHEN kind IN (\(key), \(certificate)) THEN \(month)
          WHEN can_refresh = 1 THEN \(day)
          WHEN (ends_at - refreshed_at) / 3 < \(month) THEN (ends_at - refreshed_at) / 3
          ELSE \(month) END < \(now)
      ORDER BY id LIMIT \(limit)
      """
    ).map(Credential.init(row:))
  }

  /// Some that have run out without anybody having been told, and that nobody but their owner can renew.
  public func untoldEndedCredentials(at now: Timestamp, limit: Int64) throws -> [Credential] {
    try session.rows(
      """
      SELECT \(.credentialColumns) FROM credential
      WHERE state = 'active' AND broken_told_at IS NULL
        AND CASE WHEN can_refresh = 1 THEN refresh_expires_at ELSE access_expires_at END <= \(now)
      ORDER BY id LIMIT \(limit)
      """
    ).map(Credential.init(row:))
  }
}
