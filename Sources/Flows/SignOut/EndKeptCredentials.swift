import Domain
import Storage

/// Disconnects what people wanted to be kept no longer, exactly as they would themselves.
public struct EndKeptCredentials: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public func callAsFunction() async throws {
    let now = here.clock.now()
    let ended = try await here.store.read { try $0.credentialsKeptTooLong(at: now, limit: 100) }
    guard !ended.isEmpty else { return }
    let proxies = Set(try await here.knownConnections.all(in: here.store).filter { $0.kind == .iap }.map(\.id))
    // What portals must be told may go through an application proxy, so its tokens are dropped last.
    for isProxy in [false, true] {
      try await withThrowingDiscardingTaskGroup { group in
        for credential in ended where proxies.contains(credential.connection) == isProxy {
          group.addTask {
            _ = try await Disconnect(here)(credential.connection, from: credential.account, .system)
          }
        }
      }
    }
  }
}
