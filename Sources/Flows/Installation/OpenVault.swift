import Crypto
public import Domain
public import Storage

/// Finds out whether a key-encryption key fits a database.
public enum OpenVault {
  /// Whether a new key may be made for this database: only while nothing in it is sealed (reference: KM-02).
  public static func needsFirstKey(_ store: Store) async throws -> Bool {
    try await store.read { try $0.kekCheckValues() }.isEmpty
  }

  /// Checks `kek` against the database, and registers it there when it is the first.
  ///
  /// - Throws: ``KeyFailure/wrongKey(needed:given:)``; nothing is changed then.
  public static func open(_ store: Store, with kek: KeyEncryptionKey, at now: Timestamp) async throws -> Vault {
    let known = try await store.read { try $0.kekCheckValues() }
    let checkValue = kek.checkValue()
    if known.isEmpty {
      let id = kek.id
      try await store.write { try $0.insertKEK(id: id, checkValue: checkValue, at: now) }
    } else {
      let fits = known.contains { $0.id == kek.id && constantTimeEqual($0.checkValue, checkValue) }
      guard fits else { throw KeyFailure.wrongKey(needed: known.map(\.id), given: kek.id) }
    }
    return Vault(kek)
  }
}
