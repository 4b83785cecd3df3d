public import Domain
import Storage

extension Installation {
  /// Whether `connection`, which may be a draft, covers `url`, and which connection wins.
  public func match(_ url: ResourceURL, _ connection: Connection) async throws -> URLMatch {
    URLMatch(url, connection, among: try await knownConnections.all(in: store))
  }
}
