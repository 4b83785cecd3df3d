import Crypto
import Domain
import JOSE
import JSON
import Storage

/// What one of our ID tokens says about whom it was issued for.
struct IDTokenClaims: Sendable, Equatable {
  let account: AccountID
  let client: ClientID
  /// `sid` (OpenID Connect Back-Channel Logout §2.1).
  let sessionID: String?
}

extension Installation {
  /// Seconds for which an ID token counts: a sign-in takes far less.
  static let idTokenLifetime: Int64 = 10 * 60

  /// Signs an ID token for the tokens of a family (OpenID Connect Core §2).
  ///
  /// `nonce` is as the client sent it, or `nil` for a token that comes with a refresh (§12.2); `at_hash` binds the token
  /// to `accessToken`, which stands beside it.
  func mintIDToken(
    _ family: TokenFamily, _ client: Client, account: Account, nonce: String?, accessToken: Secret, at now: Timestamp
  ) async throws -> Secret {
    let algorithm = try client.signatureAlgorithm
    // A session that has ended says no more how it began.
    let session = try await store.read { try $0.session(family.session)?.session }
    let methods = session.flatMap { $0.authenticatedAt == family.authenticatedAt ? $0.methods.names : nil } ?? []
    let claims = JSONWriter.object { json in
      json.member("iss", issuer)
      json.member("sub", family.account.text)
      json.member("aud", client.id.text)
      json.member("exp", (now + Self.idTokenLifetime).seconds)
      json.member("iat", now.seconds)
      json.member("auth_time", family.authenticatedAt.seconds)
      if !methods.isEmpty { json.member("amr", methods) }
      json.member("nonce", ifPresent: nonce)
      json.member("sid", family.session.publicID)
      json.member("at_hash", IDTokenRule.accessTokenHash(accessToken.revealedText, algorithm))
      for (name, value) in account.claims(named: family.openID.idTokenClaims) { json.member(name, value) }
    }
    return try await sign(claims, type: "JWT", for: client)
  }

  /// Signs what a client is told about a person, with the algorithm that it was registered for.
  func sign(_ claims: [UInt8], type: String, for client: Client) async throws -> Secret {
    try await signing.sign(claims, type: type, algorithm: client.signatureAlgorithm)
  }

  /// What an ID token of ours says, also one that has expired (Core §3.1.2.1, `id_token_hint`); `nil` for anything else.
  func readIDToken(_ token: String) -> IDTokenClaims? {
    let claims: JSONValue
    do { claims = try JSONValue(parsing: signing.verify(token, type: "JWT", isReminder: true)) } catch { return nil }
    // Userinfo is signed, too, but says of no sign-in when it was.
    guard claims.integer("auth_time") != nil, claims.string("iss") == issuer,
      let account = claims.string("sub").flatMap(AccountID.init),
      let client = claims.string("aud").flatMap(ClientID.init)
    else { return nil }
    return IDTokenClaims(account: account, client: client, sessionID: claims.string("sid"))
  }
}

extension TokenHash {
  /// What a session is called toward apps: says nothing of its cookie, and is the same for all of them.
  var publicID: String {
    Base64URL.encode(Array(SHA256.hash(Array("gatehouse/sid/v1".utf8) + bytes).prefix(16)))
  }
}

extension Account {
  /// The claims of the scope `profile` that there are (OpenID Connect Core §5.4).
  static let profileClaims = ["name", "preferred_username"]

  /// The values of claims; those that there are not are left out (§5.3.2).
  func claims(named names: [String]) -> [(name: String, value: String)] {
    names.compactMap { wanted in
      switch wanted {
      case "name": ("name", name)
      case "preferred_username": username.map { ("preferred_username", $0) }
      default: nil
      }
    }
  }
}

extension Client {
  /// What signs for it.
  ///
  /// - Throws: `KeyFailure` when the store names an algorithm that there is not.
  fileprivate var signatureAlgorithm: SignatureAlgorithm {
    get throws(KeyFailure) {
      guard let algorithm = SignatureAlgorithm(rawValue: idTokenAlgorithm) else { throw .notAuthentic }
      return algorithm
    }
  }
}
