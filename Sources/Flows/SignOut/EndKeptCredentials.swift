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
    let known = try await here.knownConnections.all(in: here.store)
    // What portals must be told may go through the layers in front of them, which are dropped last.
    for layer in ChallengeLayer.fromInside {
      let ofLayer = Set(known.filter { $0.kind.layer == layer }.map(\.id))
      try await withThrowingDiscardingTaskGroup { group in
        for credential in ended where ofLayer.contains(credential.connection) {
          group.addTask {
            _ = try await Disconnect(here)(credential.connection, from: credential.account, .system)
          }
        }
      }
    }
  }
}
