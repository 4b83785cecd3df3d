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
    try session.run(
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
