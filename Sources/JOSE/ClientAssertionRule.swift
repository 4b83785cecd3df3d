public import Crypto
internal import JSON

/// Why a client assertion was refused.
public enum ClientAssertionFailure: Error, Equatable {
  /// It is no token, its algorithm is not allowed, or its signature is not the client's.
  case signature(JWSFailure)
  /// `typ` says that it is something else, such as an access token.
  case type
  /// `iss` or `sub` is not the client.
  case client
  /// `aud` is not this server and nothing else.
  case audience
  /// `exp` is missing, has passed, or lies too far ahead; `iat` or `nbf` lies in the future.
  case time
  /// `jti` is missing, empty or too long.
  case tokenID
}

/// What a client says to prove who it is, signed with its own key (RFC 7523 §3, OpenID Connect Core §9).
public struct ClientAssertionRule: Sendable {
  /// Seconds that `exp` may lie ahead, so that used assertions need not be remembered for long.
  public static let longestLife: Int64 = 5 * 60
  /// Seconds by which a client's clock may be ahead: FAPI 2.0 §5.3.2.1 demands at least 10.
  public static let leeway: Int64 = 10
  private static let longestTokenID = 256
  /// What `typ` may say, if anything; the last is what RFC 7523bis wants.
  private static let types = ["jwt", "client-authentication+jwt"]

  public let client: String
  /// Who the assertion may be meant for; one of them, as a string.
  public let audiences: [String]
  public let algorithms: Set<SignatureAlgorithm>

  public init(client: String, audiences: [String], algorithms: Set<SignatureAlgorithm>) {
    self.client = client
    self.audiences = audiences
    self.algorithms = algorithms
  }

  /// An assertion that keeps to the rule, to be used once.
  public struct Accepted: Sendable, Equatable {
    public let tokenID: String
    /// In seconds since 1970; until then nobody may use it again.
    public let expiresAt: Int64
  }

  /// Whom an assertion claims to come from: good for finding out whose keys to try, for nothing else.
  public static func claimedClient(of jws: JWS) -> String? {
    do { return try JWTClaims(jws.unverifiedPayload).subject } catch { return nil }
  }

  /// Checks everything but whether it was used before.
  ///
  /// - Throws: ``ClientAssertionFailure``.
  public func check(_ jws: JWS, keys: JWKSet, now: Int64) throws(ClientAssertionFailure) -> Accepted {
    let claims: JWTClaims
    do {
      claims = try JWTClaims(jws.payload(verifiedBy: keys, allowing: algorithms))
    } catch {
      throw .signature(error)
    }
    guard jws.type == nil || Self.types.contains(where: jws.hasType) else { throw .type }
    guard let issuer = claims.issuer, let subject = claims.subject, exactlyEqual(issuer, client),
      exactlyEqual(subject, client)
    else { throw .client }
    // An array could name others, who could use the assertion here (FAPI 2.0 §5.3.2.1).
    guard let audience = claims.json.string("aud"), audiences.contains(where: { exactlyEqual($0, audience) }) else {
      throw .audience
    }
    let expiresAt = try lifetime(of: claims, now: now)
    guard let tokenID = claims.tokenID, (1...Self.longestTokenID).contains(tokenID.utf8.count) else { throw .tokenID }
    return Accepted(tokenID: tokenID, expiresAt: expiresAt)
  }

  private func lifetime(of claims: JWTClaims, now: Int64) throws(ClientAssertionFailure) -> Int64 {
    guard let end = claims.expiresAt, end > Double(now), end <= Double(now + Self.longestLife) else { throw .time }
    for name in ["iat", "nbf"] where claims.json[name] != nil {
      guard let begin = claims.json.number(name), begin <= Double(now + Self.leeway) else { throw .time }
    }
    return Int64(end.rounded(.up))
  }
}
