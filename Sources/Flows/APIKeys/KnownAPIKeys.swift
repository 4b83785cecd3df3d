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
    let version: Int
  }

  private struct State {
    var entries: [APIKeyID: Entry] = [:]
    var checked: [Fingerprint: ProvenAPIKey] = [:]
    /// What is the secret of no key, as of the version, and why.
    var unknown: [Fingerprint: (version: Int, refusal: Refusal)] = [:]
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

  /// What a text that was checked since anything changed has proven; `nil` for any other.
  func checked(_ fingerprint: Fingerprint, _ here: Installation) -> ProvenAPIKey? {
    let version = here.store.configurationVersion
    return state.withLock { $0.checked[fingerprint] }.flatMap { $0.version == version ? $0 : nil }
  }

  /// Remembers what a text has proven.
  func remember(_ fingerprint: Fingerprint, _ proven: ProvenAPIKey) {
    state.withLock { state in
      if state.checked.count >= Self.capacity { state.checked.removeAll() }
      state.checked[fingerprint] = proven
    }
  }

  /// Why a text that was looked up since anything changed is the secret of no key; `nil` for any other.
  func refusal(of fingerprint: Fingerprint, _ here: Installation) -> Refusal? {
    let version = here.store.configurationVersion
    return state.withLock { $0.unknown[fingerprint] }.flatMap { $0.version == version ? $0.refusal : nil }
  }

  /// Remembers why a text was the secret of no key at `version`.
  func remember(_ fingerprint: Fingerprint, _ refusal: Refusal, _ version: Int) {
    state.withLock { state in
      if state.unknown.count >= Self.capacity { state.unknown.removeAll() }
      state.unknown[fingerprint] = (version, refusal)
    }
  }
}

extension Installation {
  /// The client of an API key or of a token of one, whether or not it is genuine; `nil` when there is no such key.
  public func client(ofAPIKey text: String) async throws -> ClientID? {
    guard let id = HeldAPIKey(text)?.id ?? HeldAPIKeyToken(text)?.token.key else { return nil }
    return try await knownAPIKeys.entry(id, self)?.key.client
  }
}
