public import Domain
import SQL

extension Transaction {
  /// Notes that an app uses what an account holds for a connection; whether it never did before.
  ///
  /// What was deleted meanwhile is not noted.
  public func insertFirstUse(
    of connection: ConnectionID, by client: ClientID, for account: AccountID, at now: Timestamp
  ) throws -> Bool {
    try session.run(
      """
      INSERT INTO first_use (account_id, client_id, connection_id, at)
      SELECT a.id, c.id, k.id, \(now) FROM account a, client c, connection k
      WHERE a.id = \(account) AND c.id = \(client) AND k.id = \(connection)
      ON CONFLICT (account_id, client_id, connection_id) DO NOTHING
      """) > 0
  }
}
