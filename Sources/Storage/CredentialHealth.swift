public import Domain
import SQL

/// How the credentials of one connection are doing; those being closed do not count.
public struct CredentialHealth: Sendable, Equatable {
  public let connection: ConnectionID
  /// They work and are kept fresh.
  public let healthy: Int64
  /// They work, but end soon without the person (``Domain/ExpiryWarning``).
  public let expiring: Int64
  /// Nothing but the person's signing in mends them.
  public let broken: Int64
  /// When one of them was last kept fresh; `nil` when that never happened.
  public let lastRefresh: Timestamp?

  public init(connection: ConnectionID, healthy: Int64, expiring: Int64, broken: Int64, lastRefresh: Timestamp?) {
    self.connection = connection
    self.healthy = healthy
    self.expiring = expiring
    self.broken = broken
    self.lastRefresh = lastRefresh
  }

  public var total: Int64 { healthy + expiring + broken }
}

extension Transaction {
  /// The health of every connection that has credentials, by connection.
  public func credentialHealth(at now: Timestamp) throws -> [CredentialHealth] {
    let (month, day) = (ExpiryWarning.month, ExpiryWarning.day)
    let (key, certificate) = (Connection.Kind.apiKey.rawValue, Connection.Kind.certificate.rawValue)
    return try session.rows(
      """
      SELECT connection_id, count(*) AS total, max(renewed_at) AS renewed_at,
        sum(CASE WHEN state <> 'active' OR ends_at <= \(now) THEN 1 ELSE 0 END) AS broken,
        sum(CASE WHEN state = 'active' AND ends_at > \(now) AND ends_at - margin < \(now) THEN 1 ELSE 0 END) AS expiring
      FROM (
        SELECT connection_id, state, renewed_at, ends_at,
          CASE WHEN kind IN (\(key), \(certificate)) THEN \(month)
            WHEN can_refresh = 1 THEN \(day)
            WHEN (ends_at - refreshed_at) / 3 < \(month) THEN (ends_at - refreshed_at) / 3
            ELSE \(month) END AS margin
        FROM (
          SELECT k.connection_id, k.state, k.refreshed_at, k.can_refresh, c.kind,
            CASE WHEN k.can_refresh = 1 THEN k.refresh_expires_at ELSE k.access_expires_at END AS ends_at,
            CASE WHEN k.refreshed_at > k.connected_at THEN k.refreshed_at END AS renewed_at
          FROM credential k JOIN connection c ON c.id = k.connection_id WHERE k.state <> 'closing'
        ) AS dated
      ) AS judged
      GROUP BY connection_id ORDER BY connection_id
      """
    ).map { row in
      let (broken, expiring) = (try row.integer("broken"), try row.integer("expiring"))
      return CredentialHealth(
        connection: try row.connectionID("connection_id"),
        healthy: try row.integer("total") - broken - expiring, expiring: expiring, broken: broken,
        lastRefresh: try row.optionalTime("renewed_at"))
    }
  }
}
