import Crypto
public import Domain
import Storage

/// Turns a waiting authorization request into a code, by a consent given now or before.
public struct DecideConsent: Sendable {
  let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the consent page shows.
  public struct Question: Sendable {
    public let request: AuthorizationRequest
    public let client: Client
    /// The connections that the client may use, each with what the person allowed before; none where the app asks for
    /// nothing that they are needed for, or for nothing more of them.
    public let choices: [Choice]
    /// The connections whose ArcGIS portals the app is to use for the person.
    public let portals: [Connection]
    /// Those of them that the person has to connect first.
    public let unconnectedPortals: [Connection]
    /// Those of the client's connections that its jobs may use while the person is away, where the app asks for that.
    public let unattended: [Choice]
    /// What the person allowed the client before.
    let before: Consent?
    /// The device that asks, if no browser did.
    public let device: DeviceAuthorization?
    /// How the client registered itself; `nil` when an administrator did.
    public let registration: ClientRegistration?
    /// How the client's pages look, if they look otherwise than ours.
    public let look: ClientLookMark?
    /// What the person allowed before and is not asked again; `nil` where they decide about everything.
    public let standing: Standing?

    public struct Standing: Sendable {
      public let scope: Scope
      public let connections: [Connection]
      /// Whether that goes for some of them while they are away.
      public let hasUnattendedUse: Bool
    }

    /// What the person decides about.
    public var scope: Scope { standing.map { request.scope.subtracting($0.scope) } ?? request.scope }

    /// Of the client and of what the person allowed it before; the answer counts only as long as it is the same.
    public var mark: String {
      let allowed =
        before.map {
          "\($0.givenAt.seconds) \($0.scope.text) \($0.connections.map(\.text)) \($0.unattended.map(\.text))"
        } ?? ""
      return "\(client.mark(registration)).\(Base64URL.encode(SHA256.hash(allowed)))"
    }

    /// Whether the app, which may not have to ask again, would get nothing yet of what it was allowed.
    var allowsNothingConnected: Bool {
      !choices.isEmpty && !choices.contains { $0.isAllowedAlready && $0.isConnected }
    }
  }

  public struct Choice: Sendable {
    public let connection: Connection
    public let handsOutRawTokens: Bool
    public let isConnected: Bool
    public let isAllowedAlready: Bool
    /// Whether the person connected it while they were being asked.
    public let isJustConnected: Bool
    /// Whether an administrator lets jobs of the client use it while people are away.
    public let mayBeUnattended: Bool
    /// Whether the person allowed that before.
    public let isUnattendedAlready: Bool
  }

  public enum Step: Sendable {
    /// The person has to sign in, again if `prompt` or the session's age says so.
    case signIn
    case ask(Question)
    /// Everything was allowed before, or it cannot be answered otherwise.
    case answer(AuthorizationResponse)
    /// It cannot be answered, and the way back is for the person to take.
    case leave(UncheckedReturn)
  }

  /// Where a waiting request stands for whoever is signed in.
  ///
  /// - Throws: `Refusal` `not_found` when the request is unknown, finished or expired.
  public func step(_ handle: String, _ signedIn: SignedIn?, _ visitor: Visitor) async throws -> Step {
    let now = here.clock.now()
    let (request, createdAt) = try await waiting(handle, at: now)
    guard let signedIn else {
      if request.prompt == AuthorizationRequest.Prompt.none {
        return try await leave(handle, request, AuthorizationRequest.loginRequired, at: now)
      }
      return .signIn
    }
    switch request.standing(of: signedIn, createdAt: createdAt) {
    case .mayGoOn: break
    case .signIn: return .signIn
    case .refused(let refusal): return try await leave(handle, request, refusal, at: now)
    }
    let hash = TokenHash(of: handle)
    if let response = try await answerSilently(request, waitingAs: hash, signedIn, visitor, at: now) {
      return .answer(response)
    }
    if request.prompt == AuthorizationRequest.Prompt.none {
      let refusal = Refusal(.consentRequired, "The person has not allowed this yet.")
      return try await leave(handle, request, refusal, at: now)
    }
    return .ask(try await question(request, signedIn, since: createdAt))
  }

  /// What a waiting request asks, for somebody whose answer says too little.
  ///
  /// - Throws: `Refusal` `not_found` when the request is unknown, finished or expired.
  public func question(_ handle: String, _ signedIn: SignedIn) async throws -> Question {
    let (request, createdAt) = try await waiting(handle, at: here.clock.now())
    return try await question(request, signedIn, since: createdAt)
  }

  /// The person allowed the client some of its connections.
  ///
  /// `unattended` are those of them that its jobs may use while the person is away. `mark` is that of the question which
  /// they answered; `nil` where nobody saw one.
  ///
  /// - Returns: The answer with the code.
  /// - Throws: ``OutdatedQuestion`` when they would be asked something else by now.
  public func allow(
    _ handle: String, connections: [ConnectionID], unattended: [ConnectionID] = [], as mark: String? = nil,
    _ signedIn: SignedIn, _ visitor: Visitor
  ) async throws -> AuthorizationResponse {
    let now = here.clock.now()
    let (request, createdAt) = try await waiting(handle, at: now)
    guard request.standing(of: signedIn, createdAt: createdAt) == .mayGoOn else {
      throw Refusal(.loginRequired, "The app wants you to sign in again. Go back to it and try again.")
    }
    let answer = Answer(connections: connections, unattended: unattended, mark: mark)
    return try await issue(handle, request, signedIn, answer, visitor, at: now)
  }

  /// What was shown is not what is there any more.
  public struct OutdatedQuestion: Error {}

  /// What the person's answer comes to, with what they allowed the client before.
  private func consent(
    to request: AuthorizationRequest, _ answer: Answer, _ account: Account, _ tx: Transaction, at now: Timestamp
  ) throws -> Consent {
    let question = try question(request, account, tx)
    guard answer.mark == nil || answer.mark == question.mark else { throw OutdatedQuestion() }
    let offered = question.choices.map(\.connection.id)
    let before = try tx.consent(of: account.id, for: request.client)
    // A request that offered no choice takes back nothing that was chosen before.
    let chosen = offered.isEmpty ? before?.connections ?? [] : answer.connections.filter(offered.contains)
    let leavable = question.unattended.map(\.connection.id)
    let left = leavable.isEmpty ? before?.unattended ?? [] : answer.unattended.filter(leavable.contains)
    return Consent(
      account: account.id, client: request.client, scope: request.scope.union(before?.scope ?? .none),
      connections: chosen, unattended: left, givenAt: now)
  }

  /// The person refused.
  public func deny(
    _ handle: String, _ signedIn: SignedIn, _ visitor: Visitor
  ) async throws -> AuthorizationResponse {
    let now = here.clock.now()
    let (request, _) = try await waiting(handle, at: now)
    try await here.record(
      AuditEvent(
        .consentRefused, at: now, origin: visitor.origin, account: signedIn.account.id, client: request.client))
    return try await finish(handle, request, Refusal(.accessDenied, "The person did not allow it."), at: now)
  }

  private func waiting(
    _ handle: String, at now: Timestamp
  ) async throws -> (request: AuthorizationRequest, createdAt: Timestamp) {
    let hash = TokenHash(of: handle)
    guard let found = try await here.store.read({ try $0.authorizationRequest(hash, at: now) }) else {
      throw Refusal(
        .notFound, "This request has been answered already or has expired. Go back to the app and try again.")
    }
    return found
  }

  private func question(
    _ request: AuthorizationRequest, _ signedIn: SignedIn, since createdAt: Timestamp
  ) async throws -> Question {
    // Signing in connects, too, and is no wish to let the app use it.
    let begin = max(createdAt, signedIn.session.authenticatedAt)
    return try await here.store.read { try self.question(request, signedIn.account, since: begin, $0) }
  }

  func question(
    _ request: AuthorizationRequest, _ account: Account, since begin: Timestamp? = nil, _ tx: Transaction
  ) throws -> Question {
    guard let client = try tx.client(request.client), !client.isDisabled else {
      throw Refusal(.invalidClient, "The app that sent you here is disabled.")
    }
    guard request.isAllowed(for: client) else {
      throw Refusal(.invalidRequest, "The app may not ask for this any more. Go back to it and try again.")
    }
    let consent = try tx.consent(of: account.id, for: client.id)
    let choices = try client.permissions.compactMap { permission -> Choice? in
      guard let connection = try tx.connection(permission.connection), !connection.isDisabled,
        !connection.kind.isServiceOwned
      else { return nil }
      let held = try tx.credential(of: account.id, for: connection.id).flatMap { $0.state == .closing ? nil : $0 }
      return Choice(
        connection: connection, handsOutRawTokens: permission.handsOutRawTokens(of: connection),
        isConnected: held != nil, isAllowedAlready: consent?.connections.contains(connection.id) ?? false,
        isJustConnected: begin.flatMap { begin in held.map { $0.connectedAt > begin } } ?? false,
        mayBeUnattended: permission.isUnattended,
        isUnattendedAlready: consent?.unattended.contains(connection.id) ?? false)
    }
    let device: DeviceAuthorization? =
      if case .device(let hash) = request.recipient { try tx.deviceAuthorization(hash) } else { nil }
    // Somebody else may have begun it with the device: the person sees all of it.
    let isExtended = device == nil && consent?.isExtended(by: request) ?? false
    let known = choices.filter(\.isAllowedAlready).map(\.connection)
    let standing = consent.flatMap { consent -> Question.Standing? in
      guard isExtended else { return nil }
      return Question.Standing(
        scope: consent.scope, connections: known, hasUnattendedUse: !consent.unattended.isEmpty)
    }
    let mayChoose = request.scope.contains(Scope.vend) && !(standing?.scope.contains(Scope.vend) ?? false)
    let asksToBeLeft =
      request.scope.contains(Scope.unattended) && !(standing?.scope.contains(Scope.unattended) ?? false)
    let portals = try request.scope.arcGISConnections.compactMap(tx.connection)
    let leavable = choices.filter { asksToBeLeft && $0.mayBeUnattended && (mayChoose || $0.isAllowedAlready) }
    return Question(
      request: request, client: client, choices: mayChoose ? choices : [],
      portals: portals, unconnectedPortals: try portals.filter { try !tx.holds($0.id, for: account.id) },
      unattended: leavable, before: consent,
      device: device, registration: try tx.registration(of: client.id), look: try tx.lookMark(of: client.id),
      standing: standing)
  }

  /// What the person chose, also such as was never offered.
  private struct Answer: Sendable {
    let connections: [ConnectionID]
    /// Those that the client's jobs may use while the person is away.
    let unattended: [ConnectionID]
    /// Of the question that was answered; `nil` where nobody saw one.
    let mark: String?
  }

  static let answeredAlready = Refusal(
    .notFound, "This request has been answered already. Go back to the app.")

  /// Stores the consent and what it grants in one transaction; a second answer to the same request gets neither.
  ///
  /// What was read before is looked at again: the person may have signed out in another tab.
  private func issue(
    _ handle: String, _ request: AuthorizationRequest, _ signedIn: SignedIn, _ answer: Answer, _ visitor: Visitor,
    at now: Timestamp
  ) async throws -> AuthorizationResponse {
    let (code, hash) = (NewToken(), TokenHash(of: handle))
    let issued = recording(.codeIssued, request, signedIn, visitor, at: now)
    let isOurs = try await here.store.write { tx in
      guard let (_, account) = try tx.session(signedIn.session.hash), !account.isDisabled,
        try tx.finishAuthorizationRequest(hash, at: now),
        try tx.grant(request, code.hash, in: signedIn.session, at: now)
      else { return false }
      let consent = try consent(to: request, answer, account, tx, at: now)
      try tx.put(consent)
      let left = consent.unattended.map(\.text).joined(separator: " ")
      try tx.insert(
        AuditEvent(
          .consentGiven, at: now, origin: visitor.origin, account: account.id, client: request.client,
          detail: left.isEmpty ? nil : "unattended use of \(left)"))
      try issued(tx)
      return true
    }
    guard isOurs else { throw Self.answeredAlready }
    return here.response(to: request, .granted(code: code.secret))
  }

  func recording(
    _ name: AuditEvent.Name, _ request: AuthorizationRequest, _ signedIn: SignedIn, _ visitor: Visitor,
    at now: Timestamp
  ) -> @Sendable (Transaction) throws -> Void {
    here.recording(
      AuditEvent(name, at: now, origin: visitor.origin, account: signedIn.account.id, client: request.client))
  }

  /// Tells the client without a word from the person; one that nobody has checked only if they want that.
  private func leave(
    _ handle: String, _ request: AuthorizationRequest, _ refusal: Refusal, at now: Timestamp
  ) async throws -> Step {
    let response = try await finish(handle, request, refusal, at: now)
    guard let uri = request.redirectURI, let client = try await here.liveClient(request.client), !client.isTrusted
    else { return .answer(response) }
    return .leave(UncheckedReturn(client: client, redirectURI: uri, refusal: refusal, response: response))
  }

  private func finish(
    _ handle: String, _ request: AuthorizationRequest, _ refusal: Refusal, at now: Timestamp
  ) async throws -> AuthorizationResponse {
    let hash = TokenHash(of: handle)
    try await here.store.write { tx in
      if try tx.finishAuthorizationRequest(hash, at: now), case .device(let device) = request.recipient {
        try tx.deny(device, at: now)
      }
    }
    return here.response(to: request, .refused(refusal))
  }
}

extension Transaction {
  /// Whether `account`, or the service for everybody, has what the portal of a connection is called with.
  func holds(_ portal: ConnectionID, for account: AccountID) throws -> Bool {
    guard let connection = try connection(portal) else { return false }
    return try connection.kind.isServiceOwned || credential(of: account, for: portal)?.state == .active
  }
}

extension AuthorizationRequest {
  func standing(of signedIn: SignedIn, createdAt: Timestamp) -> Standing {
    standing(of: signedIn.account.id, authenticatedAt: signedIn.session.authenticatedAt, createdAt: createdAt)
  }
}
