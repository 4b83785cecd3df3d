public import Domain
internal import HTTP

/// What every call needs to know about our registration at one upstream.
public struct Registration: Sendable {
  public let connection: Connection
  /// Absent for a public client.
  public var clientSecret: Secret?
  /// Our callback for this connection, exactly as registered upstream.
  public let redirectURI: String
  /// What an application proxy in front of the upstream asks for; the person's own, so absent for calls for nobody.
  public var proxyPass: ProxyPass?
  /// What opens the network in front of the upstream; likewise.
  public var networkPass: NetworkPass?

  public init(
    connection: Connection, clientSecret: Secret?, redirectURI: String, proxyPass: ProxyPass? = nil
  ) {
    self.connection = connection
    self.clientSecret = clientSecret
    self.redirectURI = redirectURI
    self.proxyPass = proxyPass
  }
}

/// A person's token for an application proxy, with the hosts behind it.
public struct ProxyPass: Sendable {
  public let token: Secret
  public let hosts: [ResourcePattern]

  public init(token: Secret, hosts: [ResourcePattern]) {
    self.token = token
    self.hosts = hosts
  }

  /// Shows the token where `url` is on a host behind the proxy, and nowhere else.
  func show(in headers: inout Headers, to url: String) {
    guard let url = ResourceURL(url), hosts.cover(url),
      let bearer = FieldValue("Bearer \(token.revealedText)")
    else { return }
    headers.set("authorization", bearer)
  }
}

/// What stands in the URL that sends a browser to the upstream.
public struct SignInStart: Sendable {
  /// Echoed by the upstream; ties the answer to the browser.
  public let state: String
  /// The S256 code challenge (RFC 7636 §4.2).
  public let challenge: String
  /// Comes back inside the ID token (OpenID Connect Core §3.1.2.1).
  public let nonce: String
  /// Whether the upstream shall ask for the password although its own cookie would do.
  public let forcesLogin: Bool

  public init(state: String, challenge: String, nonce: String, forcesLogin: Bool = false) {
    self.state = state
    self.challenge = challenge
    self.nonce = nonce
    self.forcesLogin = forcesLogin
  }
}

/// What the browser brought back, with what was kept for it since the start.
public struct SignInReturn: Sendable {
  public let code: Secret
  /// The `iss` parameter of the callback (RFC 9207), decoded; `nil` when there was none.
  public let issuer: String?
  public let verifier: Secret
  public let nonce: String

  public init(code: Secret, issuer: String?, verifier: Secret, nonce: String) {
    self.code = code
    self.issuer = issuer
    self.verifier = verifier
    self.nonce = nonce
  }
}

/// What a code was exchanged for, before anybody knows whose it is.
public struct RedeemedTokens: Sendable {
  public let tokens: UpstreamTokens
  /// Whose the upstream says they are, beside them; to be checked.
  let username: String?

  init(_ tokens: UpstreamTokens, username: String? = nil) {
    self.tokens = tokens
    self.username = username
  }
}

/// A completed sign-in: what the upstream gave, and to whom.
public struct SignedIn: Sendable {
  public let tokens: UpstreamTokens
  public let identity: UpstreamIdentity
  /// A name that the upstream gives to nobody else: a portal's user name, or a provider's verified e-mail address.
  ///
  /// Never `preferred_username`, which people may choose as they like (OpenID Connect Core §5.7).
  public let provenName: String?
  /// The upstream's own session, as the ID token names it and a logout token will (`sid`).
  public let sessionID: String?

  public init(tokens: UpstreamTokens, identity: UpstreamIdentity, provenName: String?, sessionID: String? = nil) {
    self.tokens = tokens
    self.identity = identity
    self.provenName = provenName
    self.sessionID = sessionID
  }
}

/// A complete answer of a token endpoint that nobody has interpreted yet, so that it can be kept before it is parsed.
public struct UpstreamAnswer: Sendable, Equatable {
  /// The most bytes of ``body``: it fits, sealed, into the place that a refresh reserves for it.
  public static let maximumBytes = RefreshAttempt.reservedAnswerBytes - 2048

  /// The HTTP status, 100…599.
  public let status: Int
  public let body: Secret
  /// When the question was sent: lifetimes count from here, so that a slow answer never makes a token seem fresher.
  public let askedAt: Timestamp
  /// Seconds after which the upstream wants to be asked again, if it said so (RFC 9110 §10.2.3).
  public let retryAfter: Int64?

  public init(status: Int, body: Secret, askedAt: Timestamp, retryAfter: Int64? = nil) {
    self.status = status
    self.body = body
    self.askedAt = askedAt
    self.retryAfter = retryAfter
  }
}

/// Which tokens to refresh, and how often these have been presented already.
public struct RefreshRequest: Sendable {
  public let tokens: UpstreamTokens
  /// Whether an earlier request with the same refresh token stayed without a complete answer.
  public let isRepeated: Bool
  public let now: Timestamp
  /// The request is not sent at or after this instant: the lease must outlast the call.
  public let sendBefore: ContinuousClock.Instant?

  public init(
    tokens: UpstreamTokens, isRepeated: Bool, now: Timestamp, sendBefore: ContinuousClock.Instant? = nil
  ) {
    self.tokens = tokens
    self.isRepeated = isRepeated
    self.now = now
    self.sendBefore = sendBefore
  }
}

/// What became of tokens that were to be revoked.
public enum RevocationOutcome: Sendable, Equatable {
  case revoked
  /// The upstream offers no revocation: the tokens live until they expire.
  case unsupported
}

/// One kind of credential at an upstream: how it is kept fresh, applied and revoked, however it was got.
///
/// Every failure says in its case what may be done next and in its text what an administrator should know.
public protocol CredentialKind: Sendable {
  /// Corrects what an administrator typed and checks it against the live upstream.
  ///
  /// - Returns: The draft with its canonical origin, and with resources, scopes and reach filled in where they were empty.
  /// - Throws: ``UpstreamFailure/misconfigured(_:)`` with a text for the administrator; `transient` when it is down.
  func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection

  /// Presents the refresh token, or the login that is kept, by exactly one POST and returns the complete answer uninterpreted.
  ///
  /// Once it is sent, cancelling the task does not stop it.
  ///
  /// - Throws: `transient` and `misconfigured` only when nothing was sent; `ambiguous` when it was sent and no complete
  ///   answer came; `invalidAnswer` when the answer is too large to be one; `refused` when there is neither.
  func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer

  /// Reads the answer of a refresh: the new tokens with what it left out taken from `old`.
  ///
  /// Pure but for fetching keys; gives the same for the same answer, also after a crash.
  ///
  /// - Throws: `refused` when the person has to sign in again, `misconfigured` when our registration is at fault,
  ///   `transient` for everything that leaves the refresh token usable as far as one can tell.
  func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens

  /// Revokes the refresh token and with it the access token; succeeds also when they were dead already.
  func revoke(_ tokens: UpstreamTokens, _ registration: Registration) async throws(UpstreamFailure) -> RevocationOutcome

  /// The page that ends the upstream's own browser session; `nil` when it has none.
  func signOutURL(_ registration: Registration, tokens: UpstreamTokens?, returnTo: String) async -> String?

  /// The header fields that carry `token` to `resource`; none when the connection does not cover it.
  func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)]
}

extension CredentialKind {
  /// Where the upstream has no way to cancel a token.
  public func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome { .unsupported }

  /// Where no browser was signed in.
  public func signOutURL(_ registration: Registration, tokens: UpstreamTokens?, returnTo: String) async -> String? {
    nil
  }
}

/// A kind that people connect by signing in at the upstream's own page, where a browser is sent to and comes back from.
public protocol UpstreamKind: CredentialKind {
  /// The URL that sends a browser to the upstream's sign-in page.
  func authorizationURL(_ start: SignInStart, _ registration: Registration) async throws(UpstreamFailure) -> String

  /// Checks the `iss` parameter of a callback (RFC 9207 §2.4); to be called for error callbacks, ``redeem`` does it itself.
  func checkIssuer(_ issuer: String?, _ registration: Registration) async throws(UpstreamFailure)

  /// Exchanges a code for tokens; from then on they have to be stored or revoked.
  func redeem(
    _ back: SignInReturn, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> RedeemedTokens

  /// Establishes whose tokens are; `nonce` is the one of this sign-in.
  func identify(
    _ redeemed: RedeemedTokens, nonce: String, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn
}

/// A kind whose credential is the service's own, had without any person.
public protocol ServiceKind: CredentialKind {
  /// Gets the first tokens by our registration, or tries `key`, which an administrator typed in where the kind has one.
  ///
  /// - Throws: `refused` and `misconfigured` when the registration is wrong; `transient` when the upstream is down.
  func obtain(
    _ key: TypedToken?, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn
}

/// A kind that people connect by filling in a form of ours.
public protocol FormKind: CredentialKind {
  /// Turns what was typed into tokens, and finds out whose they are, with a single try.
  ///
  /// `referer` is what the tokens are bound to where the upstream makes them now. A login is among the tokens only when
  /// the person chose to keep it.
  func connect(
    _ typed: TypedCredential, referer: String, _ registration: Registration, now: Timestamp
  ) async throws(ConnectFailure) -> SignedIn
}
