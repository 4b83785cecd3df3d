public import Crypto
internal import JSON

/// Why a logout token of an upstream was refused; each reason is one of the checks of OpenID Connect Back-Channel
/// Logout §2.6.
public enum LogoutTokenFailure: Error, Equatable {
  /// It is no token, or its signature is not the issuer's.
  case signature(JWSFailure)
  /// `typ` says it is something else than a logout token.
  case type
  /// `iss` is not the issuer of the connection.
  case issuer
  /// `aud` is missing, or names somebody else than us.
  case audience
  /// `exp`, `iat` or `nbf` does not allow it now.
  case time(JWTClaims.TimeFailure)
  /// `jti` is missing, empty or too long.
  case tokenID
  /// `events` is missing, or has no logout in it.
  case event
  /// There is a `nonce`, so that it could be an ID token.
  case nonce
  /// `sub` is no text, or an empty or too long one.
  case subject
  /// `sid` is no text, or an empty or too long one.
  case sessionID
  /// Neither `sub` nor `sid` is there.
  case nobody
}

/// What a logout token of an upstream must say to be believed (OpenID Connect Back-Channel Logout §2.6).
public struct LogoutTokenRule: Sendable {
  public static let event = "http://schemas.openid.net/event/backchannel-logout"
  /// Seconds by which the issuer's clock may differ from ours.
  static let leeway: Int64 = 30
  private static let longestText = 255

  /// The configured issuer; compared byte for byte.
  public let issuer: String
  /// Our client id at that issuer.
  public let clientID: String
  /// What the issuer signs ID tokens with.
  public let algorithms: Set<SignatureAlgorithm>
  /// Bytes of the longest `sid`.
  public let longestSessionID: Int
  /// Whether `exp` may be missing.
  public let mayLackExpiry: Bool

  public init(
    issuer: String, clientID: String, algorithms: Set<SignatureAlgorithm>, longestSessionID: Int,
    mayLackExpiry: Bool = false
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.algorithms = algorithms
    self.longestSessionID = longestSessionID
    self.mayLackExpiry = mayLackExpiry
  }

  /// A token that keeps to the rule, to be used once.
  public struct Accepted: Sendable, Equatable {
    /// One of these two is there.
    public let subject: String?
    public let sessionID: String?
    public let tokenID: String
    /// In seconds since 1970; from then on it is refused in any case.
    public let believedUntil: Int64
  }

  /// Checks everything but whether the token was used before.
  ///
  /// Pure: reads no clock and fetches no key.
  ///
  /// - Parameters:
  ///   - token: The compact token.
  ///   - keys: The issuer's keys. For `.signature(.unknownKey)` fetch them afresh once and ask again.
  ///   - now: Seconds since 1970.
  /// - Returns: Whom it is about, and what to remember of it.
  /// - Throws: ``LogoutTokenFailure``.
  public func check(_ token: String, keys: JWKSet, now: Int64) throws(LogoutTokenFailure) -> Accepted {
    let jws: JWS
    let claims: JWTClaims
    do {
      jws = try JWS(parsing: token)
      claims = try JWTClaims(try jws.payload(verifiedBy: keys, allowing: algorithms))
    } catch {
      throw .signature(error)
    }
    // The explicit type is recommended and not demanded (§2.4), and `JWT` says no more than nothing.
    guard jws.type == nil || jws.hasType("logout+jwt") || jws.hasType("jwt") else { throw .type }
    guard let said = claims.issuer, exactlyEqual(said, issuer) else { throw .issuer }
    guard let audiences = claims.audiences, !audiences.isEmpty,
      audiences.allSatisfy({ exactlyEqual($0, clientID) })
    else { throw .audience }
    let failure = claims.timeFailure(
      now: now, leeway: Self.leeway, maximumAge: IDTokenRule.maximumAge, mayLackExpiry: mayLackExpiry)
    if let failure { throw .time(failure) }
    guard let tokenID = claims.tokenID, (1...Self.longestText).contains(tokenID.utf8.count) else { throw .tokenID }
    guard claims.json["events"]?[Self.event]?.object != nil else { throw .event }
    guard claims.json["nonce"] == nil else { throw .nonce }
    return try accepted(claims, tokenID, now: now)
  }

  private func accepted(
    _ claims: JWTClaims, _ tokenID: String, now: Int64
  ) throws(LogoutTokenFailure) -> Accepted {
    let (subject, sessionID) = (claims.subject, claims.json.string("sid"))
    if claims.json["sub"] != nil {
      guard let subject, (1...Self.longestText).contains(subject.utf8.count) else { throw .subject }
    }
    if claims.json["sid"] != nil {
      guard let sessionID, (1...longestSessionID).contains(sessionID.utf8.count) else { throw .sessionID }
    }
    guard subject != nil || sessionID != nil else { throw .nobody }
    // `iat` was found to be near `now`, so that this end is, too, whatever `exp` says.
    let oldest = (claims.issuedAt ?? Double(now)) + Double(IDTokenRule.maximumAge)
    let end = min(claims.expiresAt ?? oldest, oldest)
    return Accepted(
      subject: subject, sessionID: sessionID, tokenID: tokenID,
      believedUntil: Int64(end.rounded(.up)) + Self.leeway + 1)
  }
}
