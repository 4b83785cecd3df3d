import Domain
import Storage
import Synchronization

/// The connections, and those of each layer: a vend looks for one in each.
final class LayeredConnections: Sendable {
  let all: [Connection]
  let services: [Connection]
  let proxies: [Connection]
  let networks: [Connection]

  init(_ all: [Connection]) {
    self.all = all
    services = all.filter { $0.kind.layer == .service }
    proxies = all.filter { $0.kind.layer == .proxy }
    networks = all.filter { $0.kind.layer == .network }
  }
}

/// The connections as they were read last; exact in the same way as ``KnownClients``.
final class KnownConnections: Sendable {
  private struct Kept {
    var version = -1
    var connections = LayeredConnections([])
  }

  private let kept = Mutex(Kept())

  /// Every connection, also a disabled one.
  func all(in store: Store) async throws -> [Connection] { try await layered(in: store).all }

  /// The same by their layers.
  func layered(in store: Store) async throws -> LayeredConnections {
    let version = store.configurationVersion
    let known = kept.withLock { $0.version == version ? $0.connections : nil }
    if let known { return known }
    let read = LayeredConnections(try await store.read { try $0.connections() })
    kept.withLock { kept in
      if kept.version < version { kept = Kept(version: version, connections: read) }
    }
    return read
  }
}
