import Crypto
public import Domain
import JOSE
import JSON
import Storage

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
  /// The key whose holder alone may use it; `nil` for a bearer token.
  public var binding: TokenBinding?
  /// Of its family; `nil` for one that does not end with its generation.
  public var generation: Int64?
  /// Whether a DPoP proof that comes with it has to hold a nonce of ours.
  public var needsNonce = false

  public var tokenType: String { binding?.tokenType ?? "Bearer" }
  public var account: AccountID? { family == nil ? nil : AccountID(subject) }
  /// The connection whose ArcGIS portal it is for, and nothing else.
  public var portal: ConnectionID? {
    scope.arcGISConnections.first.flatMap { audience == AccessToken.arcGISAudience($0) ? $0 : nil }
  }
  public var vends: Bool { audience == AccessToken.vendAudience && scope.contains(Scope.vend) }
}

extension Installation {
  /// The audience for a scope: a token that vends is good for nothing else, so nobody has a reason to forward it.
  private func audience(for scope: Scope) -> String {
    if scope.contains(Scope.vend) { return AccessToken.vendAudience }
    return scope.arcGISConnections.first.map(AccessToken.arcGISAudience) ?? issuer
  }

  /// Signs a new access token, which does not outlive the authorization it comes from (`nil` for client credentials).
  ///
  /// `lifetime` is in seconds, `nil` for the usual one; with `endsByExchange` the token ends when the refresh token is
  /// exchanged.
  func mint(
    subject: String, client: Client, scope: Scope, family: TokenFamily?, boundTo binding: TokenBinding?,
    lifetime: Int64? = nil, endsByExchange: Bool = false, at now: Timestamp
  ) throws -> (token: Secret, claims: AccessTokenClaims) {
    noteUse(of: client.id, at: now)
    let audience = audience(for: scope)
    let isOrdinary = audience == issuer || audience == AccessToken.vendAudience
    let end = now + (lifetime ?? (isOrdinary ? AccessToken.lifetime : AccessToken.arcGISLifetime))
    var claims = AccessTokenClaims(
      id: Hex.encode(Random.bytes(16)), subject: subject, client: client.id, scope: scope,
      audience: audience,
      family: family?.id, issuedAt: now, expiresAt: family.map { min(end, $0.expiresAt) } ?? end,
      binding: binding, needsNonce: binding != nil && client.requiresDPoPNonce)
    if endsByExchange { claims.generation = family?.generation }
    return (Secret(try signing.turn(at: now).accessTokens.sign(payload(claims))), claims)
  }

  private func payload(_ claims: AccessTokenClaims) -> [UInt8] {
    var json = JSONWriter(capacity: 512)
    json.object { json in
      json.member("iss", issuer)
      json.member("sub", claims.subject)
      json.member("aud", claims.audience)
      json.member("client_id", claims.client.text)
      json.member("scope", claims.scope.text)
      json.member("jti", claims.id)
      json.member("iat", claims.issuedAt.seconds)
      json.member("exp", claims.expiresAt.seconds)
      json.member("family", ifPresent: claims.family?.text)
      json.member("generation", ifPresent: claims.generation)
      if let binding = claims.binding {
        json.object("cnf") { json in json.member(binding.member.name, binding.member.value) }
      }
      if claims.needsNonce { json.member("dpop_nonce", true) }
    }
    return json.bytes
  }

  /// The claims of a token that we signed and that has not expired; whether it still counts, ``isLive(_:)`` says.
  public func verify(_ token: String, at now: Timestamp) -> AccessTokenClaims? {
    let (fingerprint, turn) = (verifiedTokens.fingerprint(of: token), signing.turn(at: now))
    if let known = verifiedTokens.claims(of: fingerprint, revision: turn.revision) {
      return known.expiresAt > now ? known : nil
    }
    guard let claims = parse(token, turn), claims.expiresAt > now else { return nil }
    verifiedTokens.remember(claims, as: fingerprint, revision: turn.revision)
    return claims
  }

  /// Whether nothing has ended a token since it was signed: revocation, sign-out, a disabled client or account.
  public func isLive(_ claims: AccessTokenClaims) async throws -> Bool {
    guard try await liveClient(claims.client) != nil else { return false }
    if case .live = try await knownTokenHolders.standing(of: claims, in: store) { return true }
    return false
  }

  /// The public halves of our signing keys as a JWK set (RFC 7517 §5), in JSON.
  ///
  /// Another revision for every change.
  public var publishedKeys: (document: [UInt8], revision: Int) {
    let turn = signing.turn(at: clock.now())
    return (turn.document, turn.revision)
  }

  private func verifiedPayload(_ token: String, _ turn: SigningTurn) -> JSONValue? {
    do {
      let jws = try JWS(parsing: token)
      guard jws.hasType("at+jwt") else { return nil }
      return try JSONValue(parsing: jws.payload(verifiedBy: turn.published, allowing: [.es256]))
    } catch { return nil }
  }

  private func parse(_ token: String, _ turn: SigningTurn) -> AccessTokenClaims? {
    guard let verified = verifiedPayload(token, turn), verified.string("iss") == issuer,
      let subject = verified.string("sub"),
      let id = verified.string("jti"),
      let client = verified.string("client_id").flatMap(ClientID.init), let audience = verified.string("aud"),
      let scope = verified.string("scope").flatMap({ Scope($0) }), let issuedAt = verified.integer("iat"),
      let expiresAt = verified.integer("exp")
    else { return nil }
    let binding = Self.binding(in: verified)
    // A token that is bound in a way this program does not know is bound all the same.
    if verified["cnf"] != nil, binding == nil { return nil }
    var claims = AccessTokenClaims(
      id: id, subject: subject, client: client, scope: scope, audience: audience,
      family: verified.string("family").flatMap(TokenFamilyID.init), issuedAt: Timestamp(seconds: issuedAt),
      expiresAt: Timestamp(seconds: expiresAt), binding: binding, needsNonce: verified.bool("dpop_nonce") ?? false)
    claims.generation = verified.integer("generation")
    return claims
  }

  private static func binding(in claims: JSONValue) -> TokenBinding? {
    guard let members = claims["cnf"]?.object, members.count == 1, let value = members[0].value.string else {
      return nil
    }
    return TokenBinding(name: members[0].name, value: value)
  }
}

extension Transaction {
  /// Whether a token was ended before its time, by itself or with its family, its account or all that its client had.
  func hasEnded(_ claims: AccessTokenClaims) throws -> Bool {
    guard let family = claims.family else {
      return try tokenHasEnded(claims.id, of: claims.client, issuedAt: claims.issuedAt)
    }
    return try tokenHasEnded(claims.id, family: family, generation: claims.generation)
  }
}

extension Refusal {
  /// What everybody is told whose token does not count, whatever the reason.
  public static var endedToken: Refusal {
    Refusal(.invalidToken, "The access token is unknown, expired or revoked.")
  }
}
