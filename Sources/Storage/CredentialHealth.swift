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
    let (long, middle) = (ExpiryWarning.steps[0], ExpiryWarning.steps[1])
    return try session.rows(
      """
      SELECT connection_id, count(*) AS total, max(renewed_at) AS renewed_at,
        sum(CASE WHEN state <> 'active' OR ends_at <= \(now) THEN 1 ELSE 0 END) AS broken,
        sum(CASE WHEN state = 'active' AND ends_at > \(now) AND ends_at - margin < \(now) THEN 1 ELSE 0 END) AS expiring
      FROM (
        SELECT connection_id, state, renewed_at, ends_at,
          CASE WHEN can_refresh = 0 AND ends_at - refreshed_at >= \(long.life) THEN \(long.margin)
            WHEN can_refresh = 0 AND ends_at - refreshed_at >= \(middle.life) THEN \(middle.margin)
            ELSE \(ExpiryWarning.steps[2].margin) END AS margin
        FROM (
          SELECT connection_id, state, refreshed_at, can_refresh,
            CASE WHEN can_refresh = 1 THEN refresh_expires_at ELSE access_expires_at END AS ends_at,
            CASE WHEN refreshed_at > connected_at THEN refreshed_at END AS renewed_at
          FROM credential WHERE state <> 'closing'
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
