public import Domain
import SQL

/// A credential that is to be refreshed before anybody asks for it.
public struct DueRefresh: Sendable {
  public let id: CredentialID
  /// What is wished for is a newer one.
  public let generation: Int64
}

extension Transaction {
  /// Credentials to refresh now, those that end first at the front.
  ///
  /// - Tokens that an app asked for in the last ten minutes and that have two minutes left, or a fifth of a short life.
  /// - Sign-ins that lapse within a day, of somebody who used them within 90 days: tried once an hour, since an upstream
  ///   may lengthen them only shortly before their end. Not API keys, which nothing lengthens.
  public func dueRefreshes(at now: Timestamp, limit: Int64) throws -> [DueRefresh] {
    try session.rows(
      """
      SELECT id, generation FROM credential
      WHERE state = 'active' AND can_refresh = 1
        AND (
          (last_used_at > \(now - 600) AND access_expires_at > \(now) AND access_expires_at - \(now) <
            CASE WHEN access_expires_at - refreshed_at < 600 THEN (access_expires_at - refreshed_at) / 5 ELSE 120 END)
          OR (refresh_expires_at > \(now) AND refresh_expires_at < \(now + 24 * 60 * 60)
            AND refreshed_at < \(now - 60 * 60)
            AND connection_id NOT IN (SELECT id FROM connection WHERE kind = \(Connection.Kind.apiKey.rawValue))
            AND COALESCE(last_used_at, connected_at) > \(now - 90 * 24 * 60 * 60))
        )
      ORDER BY access_expires_at, id LIMIT \(limit)
      """
    ).map { DueRefresh(id: try $0.identifier("id"), generation: try $0.integer("generation")) }
  }
}
