import Crypto
import Domain
import JOSE
import JSON
import Storage

/// The keys that sign our tokens, and their public halves for everybody.
struct SigningKeys: Sendable {
  /// Signs access tokens (RFC 9068: `typ` is `at+jwt`).
  let accessTokens: JWTSigner
  let published: JWKSet

  /// Reads the keys, making the first one.
  static func load(from store: Store, _ vault: Vault, at now: Timestamp) async throws -> SigningKeys {
    var stored = try await store.read { try $0.signingKeys() }
    if stored.isEmpty {
      let made = try make(vault, at: now)
      try await store.write { try $0.insert(made) }
      stored = [made]
    }
    var keys: [(id: String, key: SigningKey)] = []
    for key in stored {
      guard let algorithm = SignatureAlgorithm(rawValue: key.algorithm) else { continue }
      let pkcs8 = try vault.open(key.sealed, in: place(key.id))
      keys.append((key.id, try SigningKey(pkcs8: pkcs8.revealed, algorithm: algorithm)))
    }
    guard let newest = keys.first else { throw KeyFailure.notAuthentic }
    return SigningKeys(
      accessTokens: JWTSigner(key: newest.key, keyID: newest.id, type: "at+jwt"),
      published: JWKSet(keys.map { JWK($0.key.publicKey, keyID: $0.id) }))
  }

  /// Signs claims under the media type `type` of the header.
  func sign(_ claims: [UInt8], type: String, algorithm: SignatureAlgorithm) async throws -> Secret {
    guard algorithm == accessTokens.key.algorithm else { throw KeyFailure.notAuthentic }
    return Secret(try JWTSigner(key: accessTokens.key, keyID: accessTokens.keyID, type: type).sign(claims))
  }

  /// What an ID token of ours says, however old it is; `nil` for any other token.
  func claims(ofIDToken token: String) -> JSONValue? {
    do {
      let jws = try JWS(parsing: token)
      guard jws.hasType("jwt") else { return nil }
      return try JSONValue(
        parsing: jws.payload(verifiedBy: published, allowing: Set(SignatureAlgorithm.allCases)))
    } catch { return nil }
  }

  private static func make(_ vault: Vault, at now: Timestamp) throws -> StoredSigningKey {
    let key = try SigningKey.generate(.es256)
    let id = Hex.encode(Random.bytes(8))
    return StoredSigningKey(
      id: id, algorithm: key.algorithm.rawValue, publicKey: try key.publicKey.publicKeyInfo(),
      sealed: try vault.seal(Secret(try key.pkcs8()), in: place(id)), createdAt: now)
  }

  static func place(_ id: String) -> SealContext {
    SealContext(table: "signing_key", column: "private_key", row: id)
  }
}
