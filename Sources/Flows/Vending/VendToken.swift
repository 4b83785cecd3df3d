import Crypto
public import Domain
import Logging
import Storage
import Upstream

/// Hands a client app what it needs to call a URL: the heart of the product.
public struct VendToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Vends for `request`, which came with `token`; `nil` when the caller was proved in another way.
  ///
  /// - Throws: `Refusal`: `invalid_token` when the token has ended; `invalid_target`, `interaction_required`,
  ///   `temporarily_unavailable` or `upstream_error`.
  public func callAsFunction(
    _ request: VendRequest, with token: AccessTokenClaims?, _ visitor: Visitor
  ) async throws -> VendedToken {
    let now = here.clock.now()
    let found = try await lookUp(request, token)
    if let refusal = found.refusal { throw try await refused(refusal, request, found.target, visitor, at: now) }
    guard let target = found.target else { throw Refusal(.invalidTarget, "No connection covers the resource.") }
    do {
      let held = try await fresh(target, request, at: now)
      let later = here.clock.now()
      let vended = try await apply(held, request, at: later)
      try await recordUse(vended, held, request, visitor, at: later)
      return vended
    } catch let refusal as Refusal { throw try await refused(refusal, request, target, visitor, at: now) }
  }

  /// The connection that covers the URL, and what the person holds for it.
  struct Target: Sendable {
    let connection: Connection
    let pattern: ResourcePattern
    var credential: Credential?
    var sealed: Sealed?
  }

  private func lookUp(
    _ request: VendRequest, _ token: AccessTokenClaims?
  ) async throws -> (target: Target?, refusal: Refusal?) {
    guard let client = try await here.liveClient(request.client) else {
      // The client's tokens ended with it.
      if token != nil { throw Refusal.endedToken }
      return (nil, Refusal(.invalidClient, "The client is disabled or deleted."))
    }
    let known = try await here.knownConnections.all(in: here.store)
    let covering = Connection.covering(request.resource, among: known) { connection in
      !connection.isDisabled && client.permission(for: connection.id) != nil
        && connection.id.text == request.audience ?? connection.id.text
    }
    return try await here.store.read { tx in
      if let token, try tx.hasEnded(token) { throw Refusal.endedToken }
      let consent = try request.account.flatMap { try tx.consent(of: $0, for: client.id) }
      if let refusal = VendRule.refusal(
        client: client, connection: covering?.0, account: request.account, consent: consent,
        audience: request.audience)
      {
        return (covering.map { Target(connection: $0.0, pattern: $0.1) }, refusal)
      }
      guard let (connection, pattern) = covering else { return (nil, nil) }
      let held = try request.account.flatMap { try tx.sealedCredential(of: $0, for: connection.id) }
      return (Target(connection: connection, pattern: pattern, credential: held?.0, sealed: held?.1), nil)
    }
  }

  /// A credential whose access token is good for long enough, with its tokens.
  struct Held: Sendable {
    let target: Target
    let credential: Credential
    let tokens: UpstreamTokens
    /// Why its access token is not good any more and cannot be renewed now; one got with it may still be.
    var failure: UpstreamFailure?
  }

  private func fresh(_ target: Target, _ request: VendRequest, at now: Timestamp) async throws -> Held {
    var held = try open(target)
    let credential = held.credential
    if credential.isFresh(for: credential.wantedLifetime(request.minimumLifetime), at: now) { return held }
    // What cannot be renewed is served to its end.
    if !credential.canRefresh, credential.isFresh(for: 1, at: now) { return held }
    if try await isServedMeanwhile(credential, request, at: now) { return held }
    let outcome = await here.refreshes.refresh(credential.id, insteadOf: credential.generation, at: now)
    let later = here.clock.now()
    guard case .failed(let failure) = outcome else {
      let renewed = try open(try await reload(target, credential.account))
      guard renewed.credential.isFresh(for: 1, at: later) else {
        throw Refusal(.upstreamError, "The upstream gave a token that has expired already.")
      }
      return renewed
    }
    // A token that still works goes on being served while the upstream is down.
    if credential.isFresh(for: request.minimumLifetime, at: later) { return held }
    guard failure.mayPass else { throw failure.refusal }
    held.failure = failure
    return held
  }

  /// Whether somebody refreshes the credential already, and its token works long enough to be served until then.
  ///
  /// Also after a crash, when the lease of the process that died still has to run out.
  private func isServedMeanwhile(_ credential: Credential, _ request: VendRequest, at now: Timestamp) async throws
    -> Bool
  {
    guard credential.isFresh(for: max(request.minimumLifetime, Self.shortestServed), at: now) else { return false }
    guard let standing = try await here.store.read({ try $0.refreshAttempt(of: credential.id) }) else { return false }
    return standing.leaseUntil > now
  }

  /// Seconds that a token must still work to be served while it is being refreshed.
  private static let shortestServed: Int64 = 5

  private func open(_ target: Target) throws -> Held {
    guard let credential = target.credential, let sealed = target.sealed, credential.state != .closing else {
      throw target.connection.needsPerson(.notConnected, "The person is not connected to this service.")
    }
    guard credential.state == .active else {
      throw target.connection.needsPerson(.reauthRequired, "The person has to sign in to this service again.")
    }
    do {
      let tokens = try here.unseal(sealed, of: credential, target.connection)
      return Held(target: target, credential: credential, tokens: tokens)
    } catch KeyFailure.notAuthentic {
      here.log.error("a sealed credential does not open", ["credential": .string(credential.id.text)])
      here.store.submit(
        AuditEvent(
          .decryptionFailed, .failure, at: here.clock.now(), origin: .system, account: credential.account,
          connection: credential.connection, detail: "the tokens of a credential do not open"))
      throw target.connection.needsPerson(.reauthRequired, "The person has to sign in to this service again.")
    }
  }

  private func reload(_ target: Target, _ account: AccountID) async throws -> Target {
    let id = target.connection.id
    let held = try await here.store.read { try $0.sealedCredential(of: account, for: id) }
    return Target(connection: target.connection, pattern: target.pattern, credential: held?.0, sealed: held?.1)
  }

  private func apply(_ held: Held, _ request: VendRequest, at now: Timestamp) async throws -> VendedToken {
    let registration = here.publicRegistration(for: held.target.connection)
    let kind = here.upstreams.kind(of: held.target.connection)
    let (token, expiresAt) = try await FederatedToken(here: here, registration: registration)
      .token(for: request.resource, held, at: now)
    return VendedToken(
      connection: held.target.connection.id, token: token,
      headers: kind.headers(with: token, for: request.resource, registration), expiresAt: expiresAt,
      refreshAt: expiresAt - Credential.refreshMargin(lifetime: expiresAt - now), matched: held.target.pattern.text)
  }

  private func recordUse(
    _ vended: VendedToken, _ held: Held, _ request: VendRequest, _ visitor: Visitor, at now: Timestamp
  ) async throws {
    here.noteUse(of: request.client, at: now)
    if held.credential.needsTouch(at: now) { here.store.touchCredential(held.credential.id, at: now) }
    try await here.record(
      AuditEvent(
        .vended, at: now, origin: visitor.origin, account: request.account, client: request.client,
        connection: vended.connection, resource: request.resource.withoutQuery,
        detail:
          "token \(Hex.encode(Array(SHA256.hash(vended.token.revealed).prefix(6)))) for \(vended.expiresAt - now) s"))
  }

  /// Writes down a refusal and gives it back to be thrown.
  private func refused(
    _ refusal: Refusal, _ request: VendRequest, _ target: Target?, _ visitor: Visitor, at now: Timestamp
  ) async throws -> Refusal {
    try await here.record(
      AuditEvent(
        .vendRefused, .failure, at: now, origin: visitor.origin, account: request.account, client: request.client,
        connection: target?.connection.id, resource: request.resource.withoutQuery,
        detail: "\(refusal.code.rawValue): \(refusal.interaction?.reason.rawValue ?? refusal.description)"))
    return refusal
  }
}

extension Connection {
  func needsPerson(_ reason: Refusal.InteractionReason, _ text: String) -> Refusal {
    Refusal(.interactionRequired, text, interaction: .init(reason: reason, connection: id))
  }
}

extension UpstreamFailure {
  /// What an app is told; the details stay in the log.
  var refusal: Refusal {
    switch self {
    case .transient(_, let retryAfter):
      Refusal(.temporarilyUnavailable, "The upstream does not answer at the moment.", retryAfter: retryAfter ?? 5)
    case .ambiguous:
      Refusal(.temporarilyUnavailable, "The upstream did not finish its answer.", retryAfter: 5)
    case .misconfigured: Refusal(.upstreamError, "The upstream refuses Gatehouse itself; its administrator has to act.")
    case .invalidAnswer: Refusal(.upstreamError, "The upstream's answer makes no sense.")
    case .refused: Refusal(.upstreamError, "The upstream refused.")
    }
  }
}
