public import Crypto
internal import JSON

/// Why a client's signed request to vend for a person who is not there was refused.
public enum VendRequestFailure: Error, Equatable {
  /// It is no token, its algorithm is not allowed, or none of the client's keys for such requests signed it.
  case signature(JWSFailure)
  /// `typ` is not `gatehouse-vend-req+jwt`, so that it may be meant for something else.
  case type
  /// The key that signed it is also one that the client authenticates with.
  case keyNotSeparate
  /// `iss` is not the client.
  case issuer
  /// `sub` is missing.
  case subject
  /// `aud` is not this server and nothing else.
  case audience
  /// `iat` is missing, lies more than a minute back or in the future.
  case issueTime
  /// `exp` is missing, has passed, or lies too far ahead; `nbf` lies in the future.
  case expiry
  /// `jti` is missing, empty or too long.
  case tokenID
  /// `reason` is missing or no text.
  case reason
}

/// What a client signs to vend for a person who is not there (reference: TV-12): a JWT of a type of its own, so that no
/// assertion, ID token or proof can stand for one.
public struct VendRequestRule: Sendable {
  /// `typ`.
  public static let type = "gatehouse-vend-req+jwt"
  /// Seconds that `iat` may lie back.
  public static let longestAge: Int64 = 60
  /// Seconds that `exp` may lie ahead.
  public static let longestLife: Int64 = 5 * 60
  /// Seconds by which a client's clock may be ahead, as for its assertions.
  public static let leeway: Int64 = ClientAssertionRule.leeway
  private static let longestTokenID = 256

  public let client: String
  public let issuer: String
  public let algorithms: Set<SignatureAlgorithm>

  public init(client: String, issuer: String, algorithms: Set<SignatureAlgorithm>) {
    self.client = client
    self.issuer = issuer
    self.algorithms = algorithms
  }

  /// A request that keeps to the rule, to be used once.
  public struct Accepted: Sendable, Equatable {
    public let subject: String
    public let reason: String
    public let tokenID: String
    /// In seconds since 1970; until then nobody may use it again.
    public let expiresAt: Int64
  }

  /// Checks everything but whether it was used before, and what the reason says.
  ///
  /// `keys` are what the client signs such requests with; `loginKeys`, what it authenticates with, count for nothing
  /// here.
  ///
  /// - Throws: ``VendRequestFailure``.
  public func check(
    _ token: String, keys: JWKSet, apartFrom loginKeys: JWKSet, now: Int64
  ) throws(VendRequestFailure) -> Accepted {
    let claims: JWTClaims
    do {
      let jws = try JWS(parsing: token)
      guard jws.hasType(Self.type) else { throw VendRequestFailure.type }
      guard algorithms.contains(jws.algorithm) else { throw JWSFailure.algorithmNotAllowed }
      let key = try keys.key(for: jws.keyID, algorithm: jws.algorithm)
      claims = try JWTClaims(jws.payload(verifiedBy: key))
      let thumbprint = JWK.thumbprint(of: key.parameters)
      if loginKeys.keys.contains(where: { $0.thumbprint == thumbprint }) { throw VendRequestFailure.keyNotSeparate }
    } catch let failure as VendRequestFailure {
      throw failure
    } catch let failure as JWSFailure {
      throw .signature(failure)
    } catch {
      throw .signature(.malformed)
    }
    guard let issuer = claims.issuer, exactlyEqual(issuer, client) else { throw .issuer }
    // An array could name others, who could use the request here.
    guard let audience = claims.json.string("aud"), exactlyEqual(audience, self.issuer) else { throw .audience }
    guard let subject = claims.subject, !subject.isEmpty else { throw .subject }
    let expiresAt = try expiry(of: claims, now: now)
    guard let tokenID = claims.tokenID, (1...Self.longestTokenID).contains(tokenID.utf8.count) else { throw .tokenID }
    guard let reason = claims.json.string("reason") else { throw .reason }
    return Accepted(subject: subject, reason: reason, tokenID: tokenID, expiresAt: expiresAt)
  }

  private func expiry(of claims: JWTClaims, now: Int64) throws(VendRequestFailure) -> Int64 {
    guard let begin = claims.issuedAt, begin >= Double(now - Self.longestAge), begin <= Double(now + Self.leeway)
    else { throw .issueTime }
    guard let end = claims.expiresAt, end > Double(now), end <= Double(now + Self.longestLife) else { throw .expiry }
    if claims.json["nbf"] != nil {
      guard let start = claims.notBefore, start <= Double(now + Self.leeway) else { throw .expiry }
    }
    return Int64(end.rounded(.up))
  }
}
