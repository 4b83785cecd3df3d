internal import Crypto
internal import Domain
internal import JOSE
internal import JSON

/// Whom an ID token of Microsoft Entra is about.
struct EntraPerson: Equatable {
  let issuer: String
  let tenant: String
  /// The person's id in the tenant; `sub`, which is another for each app, where the token has no `oid`.
  let subject: String
  let displayName: String
  let expiresAt: Timestamp

  init?(_ claims: JWTClaims) {
    guard let issuer = claims.issuer, let sub = claims.subject, let tenant = claims.json.string("tid"),
      let expiresAt = claims.expiresAt, expiresAt > 0, expiresAt < 1e11
    else { return nil }
    self.issuer = issuer
    self.tenant = tenant
    let objectID = claims.json.string("oid").flatMap { $0.isEmpty ? nil : $0 }
    subject = objectID.map { "\(tenant)/\($0)" } ?? sub
    let names = [claims.json.string("preferred_username"), claims.json.string("name")]
    displayName = names.compactMap { $0 }.first(where: UpstreamText.isName) ?? subject
    self.expiresAt = Timestamp(seconds: Int64(expiresAt))
  }

  /// Reads a token whose signature was checked when it came.
  init?(unverified token: Secret) {
    guard let claims = Self.claims(unverified: token) else { return nil }
    self.init(claims)
  }

  func identity(at connection: ConnectionID) -> UpstreamIdentity {
    UpstreamIdentity(connection: connection, issuer: issuer, subject: subject, displayName: displayName)
  }

  /// The tokens with the ID token in the place of the one that is shown, good until the first of the two ends.
  func presentable(_ tokens: UpstreamTokens) -> UpstreamTokens {
    UpstreamTokens(
      accessToken: tokens.idToken ?? tokens.accessToken, accessExpiresAt: min(tokens.accessExpiresAt, expiresAt),
      refreshToken: tokens.refreshToken, refreshExpiresAt: tokens.refreshExpiresAt, idToken: tokens.idToken,
      scope: tokens.scope)
  }

  /// `tid` of a token that nobody has vouched for yet: good for finding out whose issuer it must name.
  static func tenant(unverified token: Secret) -> String? { claims(unverified: token)?.json.string("tid") }

  /// What saves the person from being asked which of their sessions ends.
  static func signOutHint(_ token: Secret) -> String? { claims(unverified: token)?.json.string("login_hint") }

  private static func claims(unverified token: Secret) -> JWTClaims? {
    do { return try JWTClaims(JWS(parsing: token.revealedText).unverifiedPayload) } catch { return nil }
  }
}

extension IAP {
  /// Whom the ID token among `tokens` is about, when every check of it succeeds.
  ///
  /// A connection for `common` or `organizations` takes the issuer from the token's tenant, which must then be one of
  /// those that are allowed, and only keys that are published for it.
  func person(
    of tokens: UpstreamTokens, nonce: String?, _ connection: Connection, now: Timestamp
  ) async throws(UpstreamFailure) -> EntraPerson {
    let options = try connection.entra
    let provider = try await providers.metadata(of: connection)
    guard let token = tokens.idToken else {
      throw .invalidAnswer("\(connection.origin) answered without id_token: is the scope openid allowed to this app?")
    }
    let isShared = IAPOptions.sharedTenants.contains(connection.tenant)
    let said = EntraPerson.tenant(unverified: token)
    guard let tenant = isShared ? said : connection.tenant, IAPOptions.isTenantID(tenant) else {
      throw .invalidAnswer("The ID token of \(connection.origin) names no tenant.")
    }
    let issuer = provider.issuer.replacing("{tenantid}", with: tenant)
    let rule = IDTokenRule(
      issuer: issuer, clientID: connection.clientID,
      expected: .init(nonce: nonce, accessToken: tokens.accessToken.revealedText), algorithms: [.rs256],
      tenant: tenant)
    let claims = try await providers.keys.verify(token.revealedText, rule, from: provider, connection, now: now)
    guard let person = EntraPerson(claims), person.tenant == tenant, claims.json.string("ver") == "2.0" else {
      throw .invalidAnswer("The ID token of \(issuer) was refused: its tenant or version is another.")
    }
    guard !isShared || options.tenants.contains(tenant) else {
      throw .refused("The tenant \(tenant) is not among those whose people may sign in.")
    }
    return person
  }
}
