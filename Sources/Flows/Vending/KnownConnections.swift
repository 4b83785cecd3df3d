import Domain
import Storage
import Synchronization

/// The connections as they were read last; exact in the same way as ``KnownClients``.
final class KnownConnections: Sendable {
  private struct Kept {
    var version = -1
    var connections: [Connection] = []
  }

  private let kept = Mutex(Kept())

  /// Every connection, also a disabled one.
  func all(in store: Store) async throws -> [Connection] {
    let version = store.configurationVersion
    let known = kept.withLock { $0.version == version ? $0.connections : nil }
    if let known { return known }
    let read = try await store.read { try $0.connections() }
    kept.withLock { kept in
      if kept.version < version { kept = Kept(version: version, connections: read) }
    }
    return read
  }
}
