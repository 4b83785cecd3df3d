public import JSON

/// The claims of a token whose signature was checked (RFC 7519 §4).
///
/// Each accessor is `nil` when the claim is missing or has the wrong type.
public struct JWTClaims: Sendable {
  /// All claims.
  public let json: JSONValue

  /// Reads claims.
  ///
  /// - Parameter payload: A JSON object.
  /// - Throws: ``JWSFailure/malformed`` for anything else, also for a claim that stands there twice.
  public init(_ payload: [UInt8]) throws(JWSFailure) {
    json = try JWS.object(payload)
  }

  public var issuer: String? { json.string("iss") }
  public var subject: String? { json.string("sub") }
  public var tokenID: String? { json.string("jti") }
  public var nonce: String? { json.string("nonce") }
  /// `exp`, seconds since 1970; may have a fraction.
  public var expiresAt: Double? { json.number("exp") }
  /// `iat`, seconds since 1970; may have a fraction.
  public var issuedAt: Double? { json.number("iat") }
  /// `nbf`, seconds since 1970; may have a fraction.
  public var notBefore: Double? { json.number("nbf") }
  /// `aud`, also when it is a single string.
  public var audiences: [String]? { json.string("aud").map { [$0] } ?? json.strings("aud") }

  /// Why the token must not be used at a moment.
  public enum TimeFailure: Error, Equatable {
    /// `exp` is missing or no number.
    case expiryMissing
    /// `exp` has passed.
    case expired
    /// `iat` is missing or no number.
    case issueTimeMissing
    /// `iat` lies in the future, or too far back.
    case issueTimeOff
    /// `nbf` is no number or lies in the future.
    case notYetValid
  }

  /// Why the token must not be used now, or `nil` when its times are right.
  ///
  /// - Parameters:
  ///   - now: Seconds since 1970.
  ///   - leeway: Seconds by which the issuer's clock may differ from ours.
  ///   - maximumAge: Seconds that `iat` may lie back; `nil` when `iat` may be missing and old.
  ///   - mayLackExpiry: Whether `exp` may be missing; `maximumAge` is its end then.
  /// - Returns: The first thing that is wrong.
  public func timeFailure(
    now: Int64, leeway: Int64, maximumAge: Int64?, mayLackExpiry: Bool = false
  ) -> TimeFailure? {
    let now = Double(now)
    let leeway = Double(leeway)
    if let expiresAt {
      if expiresAt + leeway <= now { return .expired }
    } else if json["exp"] != nil || !mayLackExpiry || maximumAge == nil {
      return .expiryMissing
    }
    if json["nbf"] != nil, notBefore.map({ $0 - leeway > now }) ?? true { return .notYetValid }
    if json["iat"] == nil, maximumAge == nil { return nil }
    guard let issuedAt else { return .issueTimeMissing }
    if issuedAt - leeway > now { return .issueTimeOff }
    if let maximumAge, issuedAt + Double(maximumAge) + leeway < now { return .issueTimeOff }
    return nil
  }
}
