/// An authorization code as the store holds it (RFC 6749 §4.1.2).
public struct AuthorizationCode: Sendable, Equatable {
  /// Seconds until an unused code is worthless.
  public static let lifetime: Int64 = 60
  /// The same where a person reads it from a page and types it.
  public static let lifetimeOfReadCode: Int64 = 5 * 60

  public let hash: TokenHash
  public let client: ClientID
  public let account: AccountID
  /// The browser session in which the person agreed; its sign-out ends what the code led to.
  public let session: TokenHash
  public let redirectURI: String
  public let scope: Scope
  public let codeChallenge: String?
  public let openID: OpenIDRequest
  public let authenticatedAt: Timestamp
  public let expiresAt: Timestamp
  /// The family of the tokens that the code was redeemed for; set by its first use.
  public let family: TokenFamilyID
  /// The thumbprint of the DPoP key that alone may redeem it; `nil` for any or none.
  public var dpopKey: String?
  /// Seconds for which what it leads to counts; `nil` for as long as it may.
  public var lasts: Int64?

  public init(
    hash: TokenHash, client: ClientID, account: AccountID, session: TokenHash, redirectURI: String, scope: Scope,
    codeChallenge: String?, openID: OpenIDRequest = OpenIDRequest(), authenticatedAt: Timestamp, expiresAt: Timestamp,
    family: TokenFamilyID
  ) {
    self.hash = hash
    self.client = client
    self.account = account
    self.session = session
    self.redirectURI = redirectURI
    self.scope = scope
    self.codeChallenge = codeChallenge
    self.openID = openID
    self.authenticatedAt = authenticatedAt
    self.expiresAt = expiresAt
    self.family = family
  }

  /// Why the code must not be redeemed as asked, or `nil` when it may be.
  ///
  /// Compares the redirect URI byte for byte (RFC 6749 §4.1.3); it may be left out where PKCE binds the code to the
  /// request (OAuth 2.1 §10.2). Pure: reads no clock, no store.
  public func refusal(of request: Redemption) -> Refusal? {
    if request.client != client { return Refusal(.invalidGrant, "The code was issued to another client.") }
    if let uri = request.redirectURI, !uri.utf8.elementsEqual(redirectURI.utf8) {
      return Refusal(.invalidGrant, "redirect_uri differs from the one the code was issued for.")
    }
    if let dpopKey, request.binding != .dpop(dpopKey) {
      return Refusal(.invalidGrant, "The code was asked for with another DPoP key.")
    }
    if let refusal = refusal(ofChallenge: request.challenge) { return refusal }
    guard codeChallenge != nil || request.redirectURI != nil else {
      return Refusal(.invalidGrant, "The parameter redirect_uri is missing; only PKCE makes up for it.")
    }
    return nil
  }

  /// A verifier without a challenge is refused, too: somebody may have taken the challenge off the request
  /// (RFC 9700 §4.8.2).
  private func refusal(ofChallenge presented: String?) -> Refusal? {
    switch (codeChallenge, presented) {
    case (let challenge?, let presented?):
      challenge == presented ? nil : Refusal(.invalidGrant, "code_verifier does not match the code_challenge.")
    case (_?, nil):
      Refusal(.invalidGrant, "The parameter code_verifier is missing; the code was asked for with a code_challenge.")
    case (nil, _?): Refusal(.invalidRequest, "code_verifier is there, but the code was asked for without a challenge.")
    case (nil, nil): nil
    }
  }

  /// What a client presents to redeem a code.
  public struct Redemption: Sendable {
    public let client: ClientID
    public let code: TokenHash
    public let redirectURI: String?
    /// The S256 challenge computed from the presented verifier, if there was one.
    public let challenge: String?
    /// The key that the client proves to hold.
    public let binding: TokenBinding?

    public init(
      client: ClientID, code: TokenHash, redirectURI: String?, challenge: String?, binding: TokenBinding? = nil
    ) {
      self.client = client
      self.code = code
      self.redirectURI = redirectURI
      self.challenge = challenge
      self.binding = binding
    }
  }
}
