import Crypto
public import Domain
import JOSE
import JSON
import Storage
import Synchronization

/// What one of our access tokens says (RFC 9068 §2.2).
public struct AccessTokenClaims: Sendable, Equatable {
  public let id: String
  /// The account, or the client itself for client credentials.
  public let subject: String
  public let client: ClientID
  public let scope: Scope
  public let audience: String
  /// The authorization that the token came from; `nil` for client credentials.
  public let family: TokenFamilyID?
  public let issuedAt: Timestamp
  public let expiresAt: Timestamp

  public var account: AccountID? { family == nil ? nil : AccountID(subject) }
  public var vends: Bool { audience == AccessToken.vendAudience && scope.contains(Scope.vend) }
}

/// Tokens whose signature was checked lately, so that a client which calls often pays for it once.
///
/// Holds hashes and claims, never tokens; whether a token is still live is asked of the store every time.
final class VerifiedTokens: Sendable {
  private static let capacity = 10_000
  private let claims = Mutex<[TokenHash: AccessTokenClaims]>([:])

  func claims(of hash: TokenHash) -> AccessTokenClaims? { claims.withLock { $0[hash] } }

  func remember(_ verified: AccessTokenClaims, as hash: TokenHash, at now: Timestamp) {
    claims.withLock { claims in
      if claims.count >= Self.capacity { claims = claims.filter { $0.value.expiresAt > now } }
      if claims.count < Self.capacity { claims[hash] = verified }
    }
  }
}

extension Installation {
  /// The audience for a scope: a token that vends is good for nothing else, so nobody has a reason to forward it.
  private func audience(for scope: Scope) -> String {
    scope.contains(Scope.vend) ? AccessToken.vendAudience : issuer
  }

  /// Signs a new access token.
  func mint(
    subject: String, client: ClientID, scope: Scope, family: TokenFamilyID?, at now: Timestamp
  ) throws -> (token: Secret, claims: AccessTokenClaims) {
    let claims = AccessTokenClaims(
      id: Hex.encode(Random.bytes(16)), subject: subject, client: client, scope: scope, audience: audience(for: scope),
      family: family, issuedAt: now, expiresAt: now + AccessToken.lifetime)
    let payload = JSONWriter.object { json in
      json.member("iss", issuer)
      json.member("sub", claims.subject)
      json.member("aud", claims.audience)
      json.member("client_id", claims.client.text)
      json.member("scope", claims.scope.text)
      json.member("jti", claims.id)
      json.member("iat", claims.issuedAt.seconds)
      json.member("exp", claims.expiresAt.seconds)
      json.member("family", ifPresent: claims.family?.text)
    }
    return (Secret(try signing.accessTokens.sign(payload)), claims)
  }

  /// The claims of a token that we signed and that has not expired; whether it still counts is ``isLive(_:)``'s question.
  public func verify(_ token: String, at now: Timestamp) -> AccessTokenClaims? {
    let hash = TokenHash(of: token)
    if let known = verifiedTokens.claims(of: hash) { return known.expiresAt > now ? known : nil }
    guard let claims = parse(token), claims.expiresAt > now else { return nil }
    verifiedTokens.remember(claims, as: hash, at: now)
    return claims
  }

  /// Whether nothing has ended a token since it was signed: revocation, sign-out, a disabled client or account.
  func isLive(_ claims: AccessTokenClaims, _ tx: Transaction) throws -> Bool {
    if try tx.tokenIsRevoked(claims.id) { return false }
    guard let client = try tx.client(claims.client), !client.isDisabled else { return false }
    guard let id = claims.family else { return true }
    guard let family = try tx.family(id), !family.isRevoked, let account = try tx.account(family.account) else {
      return false
    }
    return !account.isDisabled
  }

  private func verifiedPayload(_ token: String) -> JSONValue? {
    do {
      let jws = try JWS(parsing: token)
      guard jws.hasType("at+jwt") else { return nil }
      return try JSONValue(parsing: jws.payload(verifiedBy: signing.published, allowing: [.es256]))
    } catch { return nil }
  }

  private func parse(_ token: String) -> AccessTokenClaims? {
    guard let verified = verifiedPayload(token), verified.string("iss") == issuer, let subject = verified.string("sub"),
      let id = verified.string("jti"),
      let client = verified.string("client_id").flatMap(ClientID.init), let audience = verified.string("aud"),
      let scope = verified.string("scope").flatMap({ Scope($0) }), let issuedAt = verified.integer("iat"),
      let expiresAt = verified.integer("exp")
    else { return nil }
    return AccessTokenClaims(
      id: id, subject: subject, client: client, scope: scope, audience: audience,
      family: verified.string("family").flatMap(TokenFamilyID.init), issuedAt: Timestamp(seconds: issuedAt),
      expiresAt: Timestamp(seconds: expiresAt))
  }
}
