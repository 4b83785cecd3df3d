public import Domain
import Storage

/// Gives an app that showed an app password what it signs in with: a token for the portal, or a code for such tokens.
///
/// Either ends with the password.
public struct SignInWithAppPassword: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What an app asked for with a code, which is checked when that is redeemed.
  public struct CodeRequest: Sendable {
    public let redirectURI: String
    /// S256, or `nil`.
    public let challenge: String?
    /// Seconds for which the app wants to go on without the password; `nil` for as long as it may.
    public let lasts: Int64?

    public init(redirectURI: String, challenge: String?, lasts: Int64?) {
      self.redirectURI = redirectURI
      self.challenge = challenge
      self.lasts = lasts
    }
  }

  /// A token, with no refresh token beside it.
  ///
  /// `lifetime` is in seconds, as it was asked for; longer than ``AccessToken/longestArcGISLifetime`` gives just that.
  public func token(
    _ password: AppPassword, _ client: Client, boundTo binding: TokenBinding?, lifetime: Int64?, _ visitor: Visitor
  ) async throws -> (token: Secret, claims: AccessTokenClaims) {
    let now = here.clock.now()
    let lifetime = min(max(lifetime ?? AccessToken.arcGISLifetime, 60), AccessToken.longestArcGISLifetime)
    let family = TokenFamily(
      id: .random(), client: client.id, account: password.account, session: password.session,
      scope: .arcGIS(password.connection), authenticatedAt: now, expiresAt: now + lifetime)
    try await write(password, .tokenIssued, visitor, at: now) { try $0.insert(family) }
    return try here.mint(
      subject: password.account.text, client: client, scope: family.scope, family: family, boundTo: binding,
      lifetime: lifetime, at: now)
  }

  /// A code, which the app redeems as any other.
  public func code(_ password: AppPassword, for request: CodeRequest, _ visitor: Visitor) async throws -> Secret {
    let (now, new) = (here.clock.now(), NewToken())
    var code = AuthorizationCode(
      hash: new.hash, client: password.client, account: password.account, session: password.session,
      redirectURI: request.redirectURI, scope: .arcGIS(password.connection), codeChallenge: request.challenge,
      authenticatedAt: now, expiresAt: now + AuthorizationCode.lifetime, family: .random())
    code.lasts = request.lasts
    let row = code
    try await write(password, .codeIssued, visitor, at: now) { try $0.insert(row) }
    return new.secret
  }

  /// Stores what is given, unless the password or what it rests on has ended since it was looked at.
  private func write(
    _ password: AppPassword, _ name: AuditEvent.Name, _ visitor: Visitor, at now: Timestamp,
    _ body: @escaping @Sendable (Transaction) throws -> Void
  ) async throws {
    let given = here.recording(
      AuditEvent(
        name, at: now, origin: visitor.origin, account: password.account, client: password.client,
        connection: password.connection, detail: "app password"))
    let isGiven = try await here.store.write { tx in
      guard try tx.counts(password), try tx.noteUse(of: password.id, at: now) else { return false }
      try body(tx)
      try given(tx)
      return true
    }
    guard isGiven else { throw Refusal.takenBack }
  }
}

extension Installation {
  /// Whether `code` can be redeemed at a portal by an app that reads it from a page.
  public func isWaiting(code: String, at face: ArcGISFace) async throws -> Bool {
    let (hash, now) = (TokenHash(of: code), clock.now())
    guard let waiting = try await store.read({ try $0.waitingCode(hash, at: now) }) else { return false }
    return waiting.redirectURI == ArcGISFace.outOfBand && waiting.scope == face.scope
  }

  /// The client of an app at a portal that takes app passwords: the one that it names, or the one that stands for apps
  /// which name none of ours; `nil` where no app passwords are taken of such an app.
  public func appPasswordClient(named name: String?, at face: ArcGISFace) async throws -> Client? {
    guard let standing = face.connection.appPasswordClient else { return nil }
    let isNameless = name.map(ArcGISFace.fixedClients.contains) ?? true
    guard let id = isNameless ? standing : name.flatMap(ClientID.init), let client = try await liveClient(id),
      client.appPasswordObjection(at: face.connection) == nil
    else { return nil }
    return client
  }
}
