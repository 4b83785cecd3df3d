import Crypto
import Domain
import Storage

/// The random keys of this installation, one per purpose; none derives from the key-encryption key.
struct PurposeKeys: Sendable {
  enum Purpose: String, CaseIterable {
    /// Authenticates forms and tickets that our own pages carry.
    case pages
    case audit
    /// Makes the nonces of DPoP proofs.
    case dpop
    /// Keeps the short codes that people type from being guessed by whoever reads the database.
    case userCode = "user-code"
    /// Keeps whoever writes the database from making recovery codes.
    case recoveryCode = "recovery-code"
    /// Keeps whoever reads or writes the database from making API keys.
    case apiKey = "api-key"
    /// Makes the short-lived tokens of API keys.
    case apiKeyToken = "api-key-token"
    /// Keeps whoever reads or writes the database from making app passwords.
    case appPassword = "app-password"
  }

  struct Key: Sendable {
    /// Stands beside every value made with the key, so that keys can follow each other.
    let id: String
    let mac: HMACSHA256
  }

  private let keys: [String: [Key]]

  /// The key that new values are made with.
  func current(_ purpose: Purpose) -> Key {
    guard let key = keys[purpose.rawValue]?.last else { preconditionFailure("load() makes a key for every purpose") }
    return key
  }

  /// The key of an older value.
  func key(_ id: String, for purpose: Purpose) -> Key? { keys[purpose.rawValue]?.first { $0.id == id } }

  /// Reads the keys, making those that are missing.
  static func load(from store: Store, _ vault: Vault, at now: Timestamp) async throws -> PurposeKeys {
    var stored = try await store.read { try $0.purposeKeys() }
    for purpose in Purpose.allCases where !stored.contains(where: { $0.purpose == purpose.rawValue }) {
      let id = Hex.encode(Random.bytes(8))
      let sealed = try vault.seal(Secret(Random.bytes(32)), in: place(id))
      let key = PurposeKey(id: id, purpose: purpose.rawValue, sealed: sealed)
      try await store.write { try $0.insert(key, at: now) }
      stored.append(key)
    }
    var keys: [String: [Key]] = [:]
    for key in stored {
      let secret = try vault.open(key.sealed, in: place(key.id))
      keys[key.purpose, default: []].append(Key(id: key.id, mac: HMACSHA256(key: secret.revealed)))
    }
    return PurposeKeys(keys: keys)
  }

  static func place(_ id: String) -> SealContext { SealContext(table: "purpose_key", column: "key", row: id) }
}
