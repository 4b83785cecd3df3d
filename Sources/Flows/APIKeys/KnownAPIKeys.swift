import Crypto
public import Domain
import Storage
import Synchronization

/// API keys as they were read last, and which secrets of them were checked, so that a key which comes often is looked up
/// and checked once.
///
/// Exact: what was read before a key or client changed is never used after it. Holds fingerprints and never a secret.
final class KnownAPIKeys: Sendable {
  /// A key with its client as it stood at `version`.
  struct Entry: Sendable {
    let key: ClientAPIKey
    let isClientLive: Bool
    fileprivate let version: Int
  }

  private struct State {
    var entries: [APIKeyID: Entry] = [:]
    var checked: [Fingerprint: (id: APIKeyID, slot: Int64, version: Int)] = [:]
  }

  private static let capacity = 10_000
  private let fingerprints = Fingerprints()
  private let state = Mutex(State())

  /// `nil` when there is no such key.
  func entry(_ id: APIKeyID, _ here: Installation) async throws -> Entry? {
    let version = here.store.configurationVersion
    if let known = state.withLock({ $0.entries[id] }), known.version == version { return known }
    guard let key = try await here.store.read({ try $0.apiKey(id) }) else { return nil }
    let entry = Entry(key: key, isClientLive: try await here.liveClient(key.client) != nil, version: version)
    state.withLock { state in
      if state.entries.count >= Self.capacity { state.entries.removeAll() }
      state.entries[id] = entry
    }
    return entry
  }

  /// What `text` is recognised by.
  func fingerprint(of text: String) -> Fingerprint { fingerprints.fingerprint(of: Array(text.utf8)) }

  /// The key and slot of a secret that was checked since anything changed; `nil` for any other.
  func checked(_ fingerprint: Fingerprint, _ here: Installation) async throws -> (Entry, ClientAPIKey.Slot)? {
    guard let known = state.withLock({ $0.checked[fingerprint] }), let entry = try await entry(known.id, here),
      entry.version == known.version, let slot = entry.key.slots.first(where: { $0.number == known.slot })
    else { return nil }
    return (entry, slot)
  }

  /// Remembers that a secret is the one of `slot`.
  func remember(_ fingerprint: Fingerprint, _ entry: Entry, _ slot: ClientAPIKey.Slot) {
    state.withLock { state in
      if state.checked.count >= Self.capacity { state.checked.removeAll() }
      state.checked[fingerprint] = (entry.key.id, slot.number, entry.version)
    }
  }
}

extension Installation {
  /// The client of an API key, whether or not its secret is right; `nil` when there is no such key.
  public func client(ofAPIKey text: String) async throws -> ClientID? {
    guard let held = HeldAPIKey(text) else { return nil }
    return try await knownAPIKeys.entry(held.id, self)?.key.client
  }
}
