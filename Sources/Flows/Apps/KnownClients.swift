import Domain
import JOSE
import Storage
import Synchronization

/// Clients as they were read last, so that one which asks often is not read and parsed every time.
///
/// Exact: what was read before a change of any client or connection is never used after it.
final class KnownClients: Sendable {
  /// A registered client with its secrets.
  final class Entry: Sendable {
    let client: Client
    let secrets: [ClientSecret]
    /// The keys that it was registered with, unless they are fetched.
    let inlineKeys: ClientKeySet?
    /// What its unattended jobs sign with.
    let unattendedKeys: JWKSet?
    let version: Int
    /// When its last use was noted in the store, in seconds.
    private let notedAt = Atomic<Int64>(0)

    init(client: Client, secrets: [ClientSecret], version: Int) {
      self.client = client
      self.secrets = secrets
      inlineKeys = client.inlineKeys
      unattendedKeys = client.unattendedKeys
      self.version = version
    }

    /// Whether its last use was noted so long ago that noting it again is worth a write: a minute.
    func needsTouch(at now: Timestamp) -> Bool {
      let noted = notedAt.load(ordering: .relaxed)
      guard now.seconds - noted >= 60 else { return false }
      return notedAt.compareExchange(expected: noted, desired: now.seconds, ordering: .relaxed).exchanged
    }
  }

  private static let capacity = 1000
  private let entries = Mutex<[ClientID: Entry]>([:])

  /// The client of an id; it may be disabled.
  func client(_ id: ClientID, in store: Store) async throws -> Entry? {
    let version = store.configurationVersion
    if let known = entries.withLock({ $0[id] }), known.version == version { return known }
    let read = try await store.read { tx in try tx.client(id).map { ($0, try tx.secrets(of: id)) } }
    guard let (client, secrets) = read else { return nil }
    let entry = Entry(client: client, secrets: secrets, version: version)
    entries.withLock { entries in
      if entries.count >= Self.capacity { entries.removeAll() }
      entries[id] = entry
    }
    return entry
  }

  /// Whether a use of the client is worth noting in the store.
  func needsTouch(_ id: ClientID, at now: Timestamp) -> Bool {
    entries.withLock { $0[id] }?.needsTouch(at: now) ?? false
  }
}

extension Client {
  /// The keys that it was registered with; `nil` when there are none, or none that can be read.
  var inlineKeys: ClientKeySet? {
    guard case .inline(let text) = options.keys else { return nil }
    return try? ClientKeySet(parsing: Array(text.utf8))
  }
}

extension Installation {
  /// Remembers for the administrator that a client got a token.
  func noteUse(of id: ClientID, at now: Timestamp) {
    if knownClients.needsTouch(id, at: now) { store.touchClient(id, at: now) }
  }

  /// A registered client that is not disabled.
  func liveClient(_ id: ClientID) async throws -> Client? {
    guard let client = try await knownClients.client(id, in: store)?.client, !client.isDisabled else { return nil }
    return client
  }
}
