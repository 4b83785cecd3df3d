public import Crypto
internal import JSON

/// Why an ID token of an upstream was refused; each reason is one of the checks of OpenID Connect Core §3.1.3.7.
public enum IDTokenFailure: Error, Equatable {
  /// It is no token, or its signature is not the issuer's.
  case signature(JWSFailure)
  /// `typ` says it is something else than an ID token, such as an access token.
  case type
  /// `iss` is not the issuer we asked.
  case issuer
  /// `aud` is missing or does not name us.
  case audience
  /// `aud` names somebody we do not trust besides us.
  case otherAudience
  /// `azp` is not us.
  case authorizedParty
  /// `exp`, `iat` or `nbf` does not allow it now.
  case time(JWTClaims.TimeFailure)
  /// `nonce` is missing or not the one of this sign-in.
  case nonce
  /// `sub` is missing, empty, or longer than 255 bytes.
  case subject
  /// `at_hash` is not the hash of the access token that came with it.
  case accessTokenHash
  /// `auth_time` is missing, or the user signed in longer ago than was asked for.
  case authenticationTime
  /// `acr` is none of those that were asked for.
  case authenticationContext
}

/// What an ID token of an upstream must say to be believed (OpenID Connect Core §3.1.3.7).
public struct IDTokenRule: Sendable {
  /// The configured issuer; compared byte for byte.
  public let issuer: String
  /// Our client id at that issuer.
  public let clientID: String
  /// What we know of this sign-in.
  public let expected: Expected
  /// The algorithms registered with the issuer.
  public let algorithms: Set<SignatureAlgorithm>
  /// Seconds by which the issuer's clock may differ from ours, 10 to 60.
  public let leeway: Int64
  /// The tenant of Microsoft Entra whose keys alone may sign; `nil` for any other issuer.
  public let tenant: String?
  /// Seconds that `iat` may lie back.
  public static let maximumAge: Int64 = 600
  static let longestSubject = 255

  /// What this one sign-in asked for and got.
  public struct Expected: Sendable {
    /// The nonce that was sent; `nil` only where none can be, at a refresh.
    public let nonce: String?
    /// The access token that came along, to be compared with `at_hash`.
    public let accessToken: String?
    /// `max_age` that was asked for, in seconds.
    public let maximumAge: Int64?
    /// The values of `acr` that were demanded; empty when none was.
    public let contexts: Set<String>

    public init(nonce: String?, accessToken: String?, maximumAge: Int64? = nil, contexts: Set<String> = []) {
      self.nonce = nonce
      self.accessToken = accessToken
      self.maximumAge = maximumAge
      self.contexts = contexts
    }
  }

  /// States what is expected; 30 seconds of leeway unless told otherwise.
  public init(
    issuer: String, clientID: String, expected: Expected, algorithms: Set<SignatureAlgorithm>, leeway: Int64 = 30,
    tenant: String? = nil
  ) {
    precondition((10...60).contains(leeway), "the leeway is 10 to 60 seconds")
    self.issuer = issuer
    self.clientID = clientID
    self.expected = expected
    self.algorithms = algorithms
    self.leeway = leeway
    self.tenant = tenant
  }

  /// The claims of a token that keeps to this rule.
  ///
  /// Pure: reads no clock and fetches no key.
  ///
  /// - Parameters:
  ///   - token: The compact token.
  ///   - keys: The issuer's keys. For `.signature(.unknownKey)` fetch them afresh once and ask again.
  ///   - now: Seconds since 1970.
  /// - Returns: All claims; the subject is there.
  /// - Throws: ``IDTokenFailure``.
  public func claims(of token: String, keys: JWKSet, now: Int64) throws(IDTokenFailure) -> JWTClaims {
    let keys = tenant.map { keys.keys(of: $0, issuer: issuer) } ?? keys
    let jws: JWS
    let claims: JWTClaims
    do {
      jws = try JWS(parsing: token)
      claims = try JWTClaims(try jws.payload(verifiedBy: keys, allowing: algorithms))
    } catch {
      throw .signature(error)
    }
    guard jws.type == nil || jws.hasType("jwt") else { throw .type }
    try checkParties(claims)
    if let failure = claims.timeFailure(now: now, leeway: leeway, maximumAge: Self.maximumAge) {
      throw .time(failure)
    }
    try checkSignIn(claims, now: now)
    try checkAccessTokenHash(claims, jws.algorithm)
    return claims
  }

  private func checkParties(_ claims: JWTClaims) throws(IDTokenFailure) {
    guard let said = claims.issuer, exactlyEqual(said, issuer) else { throw .issuer }
    guard let audiences = claims.audiences, audiences.contains(where: { exactlyEqual($0, clientID) }) else {
      throw .audience
    }
    guard audiences.allSatisfy({ exactlyEqual($0, clientID) }) else { throw .otherAudience }
    if let party = claims.json["azp"] {
      guard let party = party.string, exactlyEqual(party, clientID) else { throw .authorizedParty }
    }
    guard let subject = claims.subject, (1...Self.longestSubject).contains(subject.utf8.count) else {
      throw .subject
    }
  }

  private func checkSignIn(_ claims: JWTClaims, now: Int64) throws(IDTokenFailure) {
    if let nonce = expected.nonce {
      guard let said = claims.nonce, exactlyEqual(said, nonce) else { throw .nonce }
    }
    if let maximumAge = expected.maximumAge {
      guard let time = claims.json.number("auth_time"), time - Double(leeway) <= Double(now),
        time + Double(maximumAge + leeway) >= Double(now)
      else { throw .authenticationTime }
    }
    if !expected.contexts.isEmpty {
      guard let context = claims.json.string("acr"), expected.contexts.contains(context) else {
        throw .authenticationContext
      }
    }
  }

  /// Compares `at_hash` where both it and the access token are there (OpenID Connect Core §3.1.3.6).
  private func checkAccessTokenHash(
    _ claims: JWTClaims, _ algorithm: SignatureAlgorithm
  ) throws(IDTokenFailure) {
    guard let said = claims.json["at_hash"], let token = expected.accessToken else { return }
    guard let said = said.string, exactlyEqual(said, Self.accessTokenHash(token, algorithm)) else {
      throw .accessTokenHash
    }
  }

  /// `at_hash` of an access token: half of its digest, with the hash of the ID token's algorithm.
  ///
  /// That is SHA-512 for Ed25519 and SHA-256 for the others.
  public static func accessTokenHash(_ token: String, _ algorithm: SignatureAlgorithm) -> String {
    let bytes = Array(token.utf8)
    let digest = algorithm == .edDSA ? SHA512.hash(bytes) : SHA256.hash(bytes)
    return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
  }
}
