public import Domain
import Storage
import Synchronization

/// Where the pages of registered apps run, read once for each state of the configuration.
final class AppOrigins: Sendable {
  private struct State {
    var version: Int?
    var origins: Set<PageOrigin> = []
  }

  private let state = Mutex(State())

  func contains(_ origin: PageOrigin, in store: Store) async throws -> Bool {
    let version = store.configurationVersion
    if let known = state.withLock({ $0.version == version ? $0.origins.contains(origin) : nil }) { return known }
    let origins = Set(try await store.read { try $0.redirectURIs() }.compactMap(\.pageOrigin))
    state.withLock { $0 = State(version: version, origins: origins) }
    return origins.contains(origin)
  }
}

extension Installation {
  /// Whether a page at `origin` may read what answers `client`; without one, what answers nobody known.
  public func mayRead(_ origin: PageOrigin, answerTo client: ClientID?) async throws -> Bool {
    guard let client else { return try await appOrigins.contains(origin, in: store) }
    return try await liveClient(client)?.runs(at: origin) ?? false
  }

  /// The client that a token of ours was issued to, whatever became of the token since; `nil` for any other text.
  public func client(ofToken text: String) -> ClientID? { verify(text, at: clock.now())?.client }
}
