import Crypto
public import Domain
import Logging
import Storage
import Upstream

/// Leads a person through the layers of a URL: what to do next, and what their decisions come to.
public struct ChallengeSteps: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Where a person stands: on their way already, or about to begin.
  public struct Place: Sendable {
    public let resource: ResourceURL
    public let waiting: StandingChallenge.Waiting?
    /// The authorization request of an app that waits meanwhile.
    public let authorization: String?
    public let standing: StandingChallenge?

    public init(_ resource: ResourceURL, waiting: StandingChallenge.Waiting? = nil, authorization: String? = nil) {
      self.resource = resource
      self.waiting = waiting
      self.authorization = authorization
      standing = nil
    }

    init(_ standing: StandingChallenge) {
      resource = standing.resource
      waiting = standing.waiting
      authorization = standing.authorization
      self.standing = standing
    }
  }

  /// What the page shows.
  public struct View: Sendable {
    public let place: Place
    public let found: PeelLayers.Found
    /// The app that waits, with what it may use.
    public let client: Client?
    /// What the app that waits needs and the person has not allowed it yet.
    public let toAllow: [Connection]
    /// What the app's request was refused for although the URL does not ask for it.
    public let missing: Connection?
    /// Whether the URL could not be asked, so that nothing is known of it.
    public let isSilent: Bool

    /// What the app's request was refused for, once the person has signed in to it and allowed it.
    public let settled: Connection?
    /// Whom the person signed in to it as.
    public let settledAs: String?

    /// The layer that a sign-in would satisfy.
    public var waitingLayer: PeelLayers.Layer? {
      guard found.end == .waits, let layer = found.layers.last else { return nil }
      return [.unmet, .notAllowed].contains(layer.state) ? nil : layer
    }

    /// The connection that the person is asked to sign in with next.
    public var next: Connection? { waitingLayer?.connection ?? missing }
  }

  /// The place that `handle` stands for in this browser.
  ///
  /// - Throws: `Refusal` when it is over, or another browser's or account's.
  public func place(_ handle: String, browser: String, _ person: SignedIn) async throws -> Place {
    let (now, account) = (here.clock.now(), person.account.id)
    let (hash, owner) = (TokenHash(of: handle), TokenHash(of: browser))
    guard
      let standing = try await here.store.read({ try $0.challenge(hash, browser: owner, account: account, at: now) })
    else {
      throw Refusal(
        .notFound, "This page has been answered already, has expired, or began in another browser or account.")
    }
    return Place(standing)
  }

  /// Asks the URL, and says what is to be done next.
  ///
  /// - Throws: `Refusal`: `invalid_target` when nobody declared the host; `slow_down`; `access_denied` for a link that was
  ///   made for another account.
  public func view(_ place: Place, _ person: SignedIn) async throws -> View {
    let client = try await client(of: place)
    let all = try await here.knownConnections.all(in: here.store)
    let known = all.filter { connection in
      !connection.isDisabled && (client == nil || client?.permission(for: connection.id) != nil)
    }
    guard !Connection.inOrder(covering: place.resource, among: known).isEmpty else {
      throw Self.uncovered(place.resource, among: all, client)
    }
    if let seconds = here.probes.take(person.account.id.text, at: here.clock.now()) {
      throw Refusal(.slowDown, "You asked for too many addresses. Try again in a moment.", retryAfter: seconds)
    }
    var wish = PeelLayers.Wish(url: place.resource, account: person.account.id, connections: known)
    wish.rejected = place.standing?.rejected ?? []
    do {
      let found = try await PeelLayers(here)(wish)
      return try await view(place, found, client, person, among: known)
    } catch let failure as Probe.Failure {
      here.log.info(
        "a challenge could not be asked", ["url": .string(place.resource.origin), "why": .string(failure.text)])
      var found = PeelLayers.Found()
      found.end = .unknown("\(place.resource.origin) does not answer.")
      return try await view(place, found, client, person, isSilent: true, among: known)
    }
  }

  private static func uncovered(_ url: ResourceURL, among all: [Connection], _ client: Client?) -> Refusal {
    guard let connection = Connection.inOrder(covering: url, among: all).first else {
      return Refusal(
        .invalidTarget, "No connection here covers \(url.withoutQuery), so it was not asked. Tell an administrator.")
    }
    let reason = connection.isDisabled ? "is switched off" : "may not be used by \(client?.name ?? "this app")"
    return Refusal(.invalidTarget, "\(connection.name) \(reason), so the address was not asked. Tell an administrator.")
  }

  private func view(
    _ place: Place, _ found: PeelLayers.Found, _ client: Client?, _ person: SignedIn, isSilent: Bool = false,
    among known: [Connection]
  ) async throws -> View {
    guard let client, let waiting = place.waiting else {
      return View(
        place: place, found: found, client: client, toAllow: [], missing: nil, isSilent: isSilent, settled: nil,
        settledAs: nil)
    }
    let account = person.account.id
    let (consent, held) = try await here.store.read { tx in
      (try tx.consent(of: account, for: client.id), try tx.credential(of: account, for: waiting.connection))
    }
    let refused = known.first { $0.id == waiting.connection && !$0.kind.isServiceOwned }
    let isMissing = held?.state != .active && place.standing?.rejected.contains(waiting.connection) != true
    let used = found.shown.map(\.connection) + (isMissing ? [] : [refused].compactMap(\.self))
    let allowed = consent.flatMap { $0.scope.contains(Scope.vend) ? $0.connections : nil } ?? []
    var toAllow: [Connection] = []
    for connection in used
    where !connection.kind.isServiceOwned && !allowed.contains(connection.id)
      && !toAllow.contains(where: { $0.id == connection.id })
    {
      toAllow.append(connection)
    }
    let isSettled = toAllow.isEmpty && held?.state == .active
    return View(
      place: place, found: found, client: client, toAllow: toAllow, missing: isMissing ? refused : nil,
      isSilent: isSilent, settled: isSettled ? refused : nil, settledAs: held?.identity.displayName)
  }

  private func client(of place: Place) async throws -> Client? {
    guard let waiting = place.waiting else { return nil }
    guard let client = try await here.liveClient(waiting.client), client.scope.contains(Scope.vend),
      client.permission(for: waiting.connection) != nil
    else { throw Refusal(.accessDenied, "The app may not use this service any more.") }
    return client
  }
}

// MARK: - Decisions

extension ChallengeSteps {
  /// The place as it stands in the store, with the handle that it has there.
  ///
  /// One that is about to begin is written down now; opening a page writes nothing.
  public func begin(
    _ place: Place, browser: String, _ person: SignedIn, _ visitor: Visitor
  ) async throws -> (handle: Secret, StandingChallenge) {
    try here.countBeginning(by: visitor)
    let token = NewToken()
    let standing = StandingChallenge(
      handle: token.hash, browser: TokenHash(of: browser), account: person.account.id, resource: place.resource,
      waiting: place.waiting, authorization: place.authorization,
      expiresAt: here.clock.now() + StandingChallenge.lifetime)
    try await here.store.write { try $0.insert(standing) }
    return (token.secret, standing)
  }

  /// Counts a sign-in that begins with `id`; `nil` when there have been too many.
  ///
  /// - Throws: `Refusal` when the connection does not cover the URL.
  public func next(_ id: ConnectionID, in standing: StandingChallenge) async throws -> Connection? {
    let known = try await here.knownConnections.all(in: here.store)
    let covering = Connection.inOrder(covering: standing.resource, among: known.filter { !$0.isDisabled })
    let isWaitedFor = standing.waiting?.connection == id
    guard let connection = known.first(where: { $0.id == id }), !connection.kind.isServiceOwned,
      isWaitedFor || covering.contains(where: { $0.id == id })
    else { throw Refusal(.invalidRequest, "This connection does not cover the address.") }
    return try await here.store.write { try $0.countAttempt(of: standing.handle) } ? connection : nil
  }

  /// The person does not want to use `id` for this resource.
  public func reject(_ id: ConnectionID, in standing: StandingChallenge) async throws {
    guard !standing.rejected.contains(id), standing.rejected.count < 50 else { return }
    try await here.store.write { try $0.reject(standing.rejected + [id], in: standing.handle) }
  }

  /// The person goes no further; an app that waits is told when it asks the next time.
  public func end(
    _ standing: StandingChallenge, _ ending: StandingChallenge.Ending, words: String, _ visitor: Visitor
  ) async throws {
    let refused = here.recording(
      AuditEvent(
        .consentRefused, at: here.clock.now(), origin: visitor.origin, account: standing.account,
        client: standing.waiting?.client, connection: standing.waiting?.connection, detail: ending.rawValue))
    try await here.store.write { tx in
      try tx.end(standing.handle, ending, words: words)
      if standing.waiting != nil { try refused(tx) }
    }
  }

  /// The person lets the app that waits use those of `ids` that it needs for this URL.
  public func allow(_ ids: [ConnectionID], _ view: View, _ person: SignedIn, _ visitor: Visitor) async throws {
    guard let client = view.client else { return }
    for connection in view.toAllow where ids.contains(connection.id) {
      let ticket = InteractionTicket(
        account: person.account.id, client: client.id, connection: connection.id,
        expiresAt: here.clock.now() + InteractionTicket.lifetime)
      try await AllowConnection(here).allow(ticket, person, visitor)
    }
  }
}

extension Installation {
  /// How the person ended the challenge that `refusal` sends them to; once for an app.
  func ending(
    insteadOf refusal: Refusal, _ request: VendRequest, at now: Timestamp
  ) async throws -> (ending: StandingChallenge.Ending, refusal: Refusal)? {
    guard refusal.code == .interactionRequired, let account = request.account else { return nil }
    let ended = try await store.read {
      try $0.untoldEnding(of: account, for: request.client, on: request.resource.origin, at: now)
    }
    guard let ended, try await store.write({ try $0.markTold(ended.handle, at: now) }) else { return nil }
    return switch ended.ending {
    case .cancelled: (.cancelled, Refusal(.accessDenied, "The person cancelled the sign-in."))
    case .skipped: (.skipped, Refusal(.upstreamError, "The person goes on without signing in. \(ended.words)"))
    }
  }
}

extension Probe.Failure {
  fileprivate var text: String {
    switch self {
    case .notAllowed(let text), .unreachable(let text): text
    }
  }
}

// MARK: - Who waits

extension ChallengeSteps {
  /// What people know the app as that waits; `nil` when none does, or it is gone.
  public func clientName(of place: Place) async throws -> String? {
    guard let waiting = place.waiting else { return nil }
    return try await here.liveClient(waiting.client)?.name
  }

  /// Where the answer to the authorization request goes that waits.
  public func redirectURI(of place: Place) async throws -> String? {
    guard let handle = place.authorization else { return nil }
    let (hash, now) = (TokenHash(of: handle), here.clock.now())
    return try await here.store.read { try $0.authorizationRequest(hash, at: now) }?.0.redirectURI
  }
}
