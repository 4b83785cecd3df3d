public import Domain
import SQL
import Storage

/// Checks a request at the authorization endpoint and keeps it while the person signs in and decides (RFC 6749 §4.1.1).
public struct BeginAuthorization: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// The parameters as sent; each at most once.
  public struct Parameters: Sendable {
    public var clientID: String?
    public var redirectURI: String?
    public var responseType: String?
    public var responseMode: String?
    public var scope: String?
    public var state: String?
    public var codeChallenge: String?
    public var codeChallengeMethod: String?
    public var prompt: String?
    public var openID = OpenIDParameters()
    /// The thumbprint of the DPoP key that the code is to be bound to (RFC 9449 §10).
    public var dpopKey: String?
    /// Seconds for which the app wants to go on without bringing the person back.
    public var lasts: Int64?
    /// Whether the person reads the code from a page of a portal, which lets this client's apps do that.
    public var isReadFromPage = false
    /// What is wrong with the form of the request itself: a repeated parameter, or one that is not offered.
    public var objection: Refusal?

    public init() {}

    fileprivate var hasLongState: Bool {
      state.map { $0.utf8.count > AuthorizationRequest.maximumStateBytes } ?? false
    }
  }

  public enum Outcome: Sendable {
    /// Checked and kept; the handle names it in the pages that follow.
    case waiting(handle: Secret, AuthorizationRequest)
    /// Whoever is signed in allowed all of it before; or it is wrong, but the client and its redirect URI are right, so
    /// the client may be told.
    case answered(AuthorizationResponse)
    /// Wrong in that way, but nobody has checked the client, so the person decides whether to go there.
    case refusedToUnchecked(UncheckedReturn)
  }

  /// `signedIn` is who may be answered at once.
  ///
  /// - Throws: `Refusal` when the client or the redirect URI is not to be trusted, or the way back is not offered: an
  ///   error page, never a redirect; `slow_down` when too many have begun.
  public func callAsFunction(
    _ parameters: Parameters, for signedIn: SignedIn?, _ visitor: Visitor
  ) async throws -> Outcome {
    let (client, way) = try await trusted(parameters)
    do {
      if client.requiresPushedRequests {
        throw Refusal(.invalidRequest, "This client has to push its requests (RFC 9126).")
      }
      return try await begin(parameters, client, way, signedIn, visitor)
    } catch let refusal as Refusal where refusal.code != .slowDown {
      return try answer(refusal, client, way)
    } catch DatabaseError.busy, DatabaseError.full, DatabaseError.away {
      let refusal = Refusal(.temporarilyUnavailable, "Gatehouse cannot store anything at the moment.")
      return try answer(refusal, client, way)
    }
  }

  /// Tells the client; where there is no redirect URI of its own, the person.
  private func answer(_ refusal: Refusal, _ client: Client, _ way: WayBack) throws(Refusal) -> Outcome {
    if way.redirectURI == ArcGISFace.outOfBand { throw refusal }
    let response = here.response(with: refusal, by: way)
    return client.isTrusted
      ? .answered(response)
      : .refusedToUnchecked(
        UncheckedReturn(client: client, redirectURI: way.redirectURI, refusal: refusal, response: response))
  }

  /// Checks a request that its client pushed after it authenticated.
  ///
  /// - Throws: `Refusal` for whatever is wrong, since nobody is redirected (RFC 9126 §2.3).
  func pushed(_ parameters: Parameters) async throws -> AuthorizationRequest {
    let (client, way) = try await trusted(parameters)
    do {
      let request = try checked(parameters, client, way)
      try await here.checkPortal(of: request.scope, hasPerson: true)
      return request
    } catch let refusal as Refusal {
      // No person was asked yet who could fail to meet this (RFC 9126 §2.3).
      guard [.loginRequired, .unmetAuthenticationRequirements].contains(refusal.code) else { throw refusal }
      throw Refusal(.invalidRequest, refusal.description)
    }
  }

  private static let longState = Refusal(
    .invalidRequest, "state is longer than \(AuthorizationRequest.maximumStateBytes) bytes.")

  /// Checks and keeps a request whose client and redirect URI are right.
  private func begin(
    _ parameters: Parameters, _ client: Client, _ way: WayBack, _ signedIn: SignedIn?, _ visitor: Visitor
  ) async throws -> Outcome {
    let request = try checked(parameters, client, way)
    try await here.checkPortal(of: request.scope, hasPerson: true)
    if let answered = try await answered(request, signedIn, visitor) { return answered }
    return try await kept(request, visitor)
  }

  private func answered(
    _ request: AuthorizationRequest, _ signedIn: SignedIn?, _ visitor: Visitor
  ) async throws -> Outcome? {
    let now = here.clock.now()
    guard let signedIn, request.isContent(with: signedIn, at: now) else { return nil }
    return try await DecideConsent(here).answerSilently(request, signedIn, visitor, at: now).map(Outcome.answered)
  }

  private func kept(_ request: AuthorizationRequest, _ visitor: Visitor) async throws -> Outcome {
    try here.countBeginning(by: visitor)
    let (handle, now) = (NewToken(), here.clock.now())
    try await here.store.write { try $0.insert(request, hash: handle.hash, at: now) }
    return .waiting(handle: handle.secret, request)
  }

  /// The client, and how it may be answered.
  private func trusted(_ parameters: Parameters) async throws -> (Client, WayBack) {
    guard let id = parameters.clientID.flatMap(ClientID.init),
      let client = try await here.liveClient(id)
    else { throw Refusal(.invalidClient, "The app that sent you here is not registered, or is disabled.") }
    let state = parameters.hasLongState ? nil : parameters.state
    if parameters.isReadFromPage {
      return (client, WayBack(redirectURI: ArcGISFace.outOfBand, mode: .query, state: state))
    }
    guard let uri = parameters.redirectURI, client.redirectURIs.contains(where: { $0.matches(uri) }) else {
      throw Refusal(.invalidRequest, "redirect_uri is missing or is not registered for this app, to the byte.")
    }
    let mode = try Self.mode(parameters, client, uri)
    return (client, WayBack(redirectURI: uri, mode: mode, state: state))
  }

  private static func mode(
    _ parameters: Parameters, _ client: Client, _ redirectURI: String
  ) throws(Refusal) -> AuthorizationRequest.ResponseMode {
    guard let name = parameters.responseMode else { return .query }
    guard let mode = client.responseModes.first(where: { $0.rawValue == name }) else {
      let offered = client.responseModes.map(\.rawValue).joined(separator: " and ")
      throw Refusal(.invalidRequest, "Of response_mode, only \(offered) is offered to this app.")
    }
    // What stands behind a scheme of its own is called, not sent to.
    if mode == .formPost, RedirectURI(redirectURI)?.origin == nil {
      throw Refusal(
        .invalidRequest, "response_mode form_post needs a redirect URI with https, or http on this machine.")
    }
    return mode
  }

  private func checked(
    _ parameters: Parameters, _ client: Client, _ way: WayBack
  ) throws -> AuthorizationRequest {
    if parameters.hasLongState { throw Self.longState }
    if let refusal = parameters.objection { throw refusal }
    guard let type = parameters.responseType else { throw Refusal(.invalidRequest, "response_type is missing.") }
    guard type == "code" else { throw Refusal(.unsupportedResponseType, "Only response_type code is offered.") }
    if let refusal = client.refusal(using: .authorizationCode) { throw refusal }
    let challenge = try Self.challenge(parameters, client)
    let scope = try requestedScope(parameters.scope, client)
    if let key = parameters.dpopKey, !AuthorizationRequest.isChallenge(key) {
      throw Refusal(.invalidRequest, "dpop_jkt is no SHA-256 thumbprint in base64url.")
    }
    var request = AuthorizationRequest(
      client: client.id, to: .client(redirectURI: way.redirectURI, state: way.state), scope: scope,
      codeChallenge: challenge,
      prompt: try parameters.prompt.flatMap { try AuthorizationRequest.Prompt(list: $0) },
      openID: try parameters.openID.request(for: client, here))
    request.dpopKey = parameters.dpopKey
    request.lasts = parameters.lasts
    request.responseMode = way.mode
    return request
  }

  private static func challenge(_ parameters: Parameters, _ client: Client) throws(Refusal) -> String? {
    let mayLackIt = !client.requiresPKCE || parameters.isReadFromPage
    if mayLackIt, parameters.codeChallenge == nil, parameters.codeChallengeMethod == nil { return nil }
    guard let challenge = parameters.codeChallenge, parameters.codeChallengeMethod == "S256",
      AuthorizationRequest.isChallenge(challenge)
    else { throw Refusal(.invalidRequest, "PKCE is required: code_challenge with code_challenge_method S256.") }
    return challenge
  }

  private func requestedScope(_ text: String?, _ client: Client) throws -> Scope {
    guard let text else { return client.ordinaryScope }
    guard let scope = Scope(text), !scope.words.isEmpty else {
      throw Refusal(.invalidScope, "The scope is empty, or holds a character that no scope may have.")
    }
    if let refusal = client.refusal(asking: scope) { throw refusal }
    guard !scope.isUnattendedAlone else {
      throw Refusal(.invalidScope, "The scope \(Scope.unattended) needs \(Scope.vend) beside it.")
    }
    return scope
  }
}

extension AuthorizationRequest {
  /// Whether whoever is signed in need not sign in again for a request that was made just now.
  fileprivate func isContent(with signedIn: SignedIn, at now: Timestamp) -> Bool {
    prompt?.asksLogin != true && standing(of: signedIn, createdAt: now) == .mayGoOn
  }
}
