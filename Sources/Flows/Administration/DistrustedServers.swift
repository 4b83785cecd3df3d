import Domain
import Synchronization

/// Remembers the connections of which a server that is trusted by its key showed another one when it was last looked at,
/// or whose approval had ended: nothing is sent to it, however well the credentials are.
final class DistrustedServers: Sendable {
  private let connections = Mutex<Set<ConnectionID>>([])

  func note(_ standing: [TrustServer.Standing], of connection: ConnectionID) {
    let isDistrusted = standing.contains { [.otherKey, .ended].contains($0.sight?.approval) }
    // A server that does not answer says nothing new.
    let isSilent = standing.contains { $0.sight == nil }
    connections.withLock { known in
      if isDistrusted {
        known.insert(connection)
      } else if !isSilent {
        known.remove(connection)
      }
    }
  }

  func contains(_ connection: Connection) -> Bool {
    !connection.trustedKeys.isEmpty && connections.withLock { $0.contains(connection.id) }
  }
}

/// Looks now and then at the servers that are trusted by their keys.
struct LookAtTrustedServers: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  func callAsFunction() async throws {
    let known = try await here.knownConnections.all(in: here.store)
    for connection in known where !connection.trustedKeys.isEmpty && !connection.isDisabled {
      _ = await TrustServer(here).standing(of: connection)
    }
  }
}
