import Crypto
public import Domain
import Logging
import Storage
import Upstream

/// Hands a client app what it needs to call a URL: the heart of the product.
public struct VendToken: Sendable {
  let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Vends for `request`, which came with `token`; `nil` when the caller was proved in another way.
  ///
  /// - Throws: `Refusal`: `invalid_token` when the token has ended; `invalid_target`, `interaction_required`,
  ///   `temporarily_unavailable` or `upstream_error`.
  public func callAsFunction(
    _ request: VendRequest, with token: AccessTokenClaims?, _ visitor: Visitor
  ) async throws -> Vended {
    let now = here.clock.now()
    let target = try await target(of: request, token, visitor, at: now)
    let referral = target.proxyReason.map { target.referral(for: request.resource, $0) }
    guard let referral, !target.handsOutTokens else {
      var vended = try await vend(target, request, token, visitor, at: now).token
      vended.proxy = referral
      return .token(vended)
    }
    do {
      // The proxy is called with a token of the person's, which a job has not.
      if request.unattended != nil { throw VendRule.proxyIsAttended }
      for layer in target.layers { try layer.checkStanding(at: now) }
      // Behind the proxy, too, a token may be refused that should still work.
      if request.minimumLifetime > VendRequest.longestOrdinaryWish, !target.connection.kind.isNetwork {
        var proxied = request
        proxied.proxiedMethod = "GET"
        _ = try await settle(target, proxied, token, at: now)
      }
      return .proxy(referral)
    } catch let refusal as Refusal {
      throw try await refused(refusal, request, target.connection.id, visitor, at: now)
    }
  }

  /// What the proxy calls the resource with; it must not leave in any answer.
  ///
  /// - Throws: ``GoesOnWithout`` when the person does not want to sign in, beside what a vend throws.
  func forProxy(
    _ request: VendRequest, with token: AccessTokenClaims?, _ visitor: Visitor
  ) async throws -> Vend {
    let now = here.clock.now()
    return try await vend(try await target(of: request, token, visitor, at: now), request, token, visitor, at: now)
  }

  private func target(
    of request: VendRequest, _ token: AccessTokenClaims?, _ visitor: Visitor, at now: Timestamp
  ) async throws -> Target {
    switch try await lookUp(request, token) {
    case .target(let found): return found
    case .refusal(let refusal, let connection):
      throw try await refused(refusal, request, connection, visitor, at: now)
    }
  }

  /// What a request needs, all layers together.
  struct Vend: Sendable {
    var token: VendedToken
    let held: Held
    let passes: Passes

    /// What opens the network, which leaves in no answer.
    var network: Held? { held.target.connection.kind.isNetwork ? held : passes.network }
    /// Every credential that was used, from the outside in.
    var used: [Credential] { [passes.network, passes.proxy, held].compactMap { $0?.credential } }
  }

  private func vend(
    _ target: Target, _ request: VendRequest, _ token: AccessTokenClaims?, _ visitor: Visitor, at now: Timestamp
  ) async throws -> Vend {
    do {
      let vend = try await settle(target, request, token, at: now)
      try await recordUse(vend, request, visitor, at: here.clock.now())
      return vend
    } catch let refusal as Refusal {
      throw try await refused(refusal, request, target.connection.id, visitor, at: now)
    }
  }

  /// What the request gets; from the start again, once, when a refresh came between what was read and what was got with
  /// it.
  private func settle(
    _ target: Target, isSecondTry: Bool = false, _ request: VendRequest, _ token: AccessTokenClaims?, at now: Timestamp
  ) async throws -> Vend {
    let (current, passes) = try await pass(target, request, token, at: now)
    let held = try await fresh(current, request, token, at: here.clock.now())
    do {
      let vended = try await apply(held, passes, request, token, at: here.clock.now())
      return Vend(token: vended, held: held, passes: passes)
    } catch is FederatedToken.Superseded {
      guard !isSecondTry else {
        throw Refusal(.temporarilyUnavailable, "The credential has changed meanwhile. Ask again.", retryAfter: 1)
      }
    } catch is FederatedToken.PortalRefuses {
      try await renew(held, isSecondTry: isSecondTry, at: here.clock.now())
    }
    return try await settle(try await lookUpAgain(request, token), isSecondTry: true, request, token, at: now)
  }

  enum Found: Sendable {
    case target(Target)
    case refusal(Refusal, ConnectionID?)
  }

  /// Asks everything that decides whether the app gets something, and tells `trace` each answer, if there is one.
  func lookUp(
    _ request: VendRequest, _ token: AccessTokenClaims?, _ trace: VendTrace? = nil
  ) async throws -> Found {
    guard let client = try await here.liveClient(request.client) else {
      trace?.refused(.client, "The client is disabled or deleted.")
      // The client's tokens ended with it.
      if token != nil { throw Refusal.endedToken }
      return .refusal(Refusal(.invalidClient, "The client is disabled or deleted."), nil)
    }
    let keys = try await here.live(request.key)
    let known = try await here.knownConnections.layered(in: here.store)
    let layers = VendLayers(of: request, among: known, client)
    let standing = try await here.knownStandings.standing(
      of: request, for: layers?.service.connection, with: token, here)
    trace?.tell(of: layers, request, known, client)
    guard let layers else { return .refusal(VendRule.unknownTarget, nil) }
    let connection = layers.service.connection
    let objection = VendRule.objection(
      client: client, connection: connection, account: request.account, consent: standing.consent,
      audience: request.audience, portal: request.portal, isUnattended: request.unattended != nil)
    trace?.tell(of: connection, request, client, objection)
    if let objection { return .refusal(objection.refusal, connection.id) }
    let unreached = keys.refusal(for: request, of: connection.id)
    trace?.tell(of: request.key, unreached)
    if let unreached { return .refusal(unreached, connection.id) }
    if let doubt = layers.doubt(client) {
      trace?.refused(.layers, doubt.description)
      return .refusal(doubt, connection.id)
    }
    // All tokens leave, or none.
    var isMarked = client.permission(for: connection.id)?.handsOutRawTokens ?? false
    for layer in layers.inFront {
      let objection = VendRule.objection(
        client: client, connection: layer.connection, account: request.account, consent: standing.consent,
        portal: request.portal, isUnattended: request.unattended != nil)
      trace?.tell(of: layer.connection, request, client, objection)
      if let objection { return .refusal(objection.refusal, layer.connection.id) }
      isMarked =
        isMarked
        && (layer.connection.kind.isNetwork || client.permission(for: layer.connection.id)?.handsOutRawTokens ?? false)
    }
    if let conflict = layers.conflict {
      trace?.refused(.layers, conflict.description)
      return .refusal(conflict, connection.id)
    }
    trace?.tell(ofLayers: layers)
    let network = try await held(layers.network, request, token)
    let proxy = try await held(layers.proxy, request, token)
    let reason = (network?.connection ?? connection).kind.networkReason
    let isWhole = keys.allSatisfy(\.mayHoldRawTokens)
    let refused: ProxyReason? = isMarked ? isWhole ? nil : .keyScope : .rawTokenNotAllowed
    return .target(
      Target(
        connection: connection, pattern: layers.service.pattern, credential: standing.credential, proxy: proxy,
        network: network, proxyReason: reason ?? refused,
        handsOutTokens: isMarked && isWhole && !connection.kind.isNetwork))
  }

  /// A layer in front of the target, with what the person holds for it.
  private func held(
    _ cover: VendLayers.Cover?, _ request: VendRequest, _ token: AccessTokenClaims?
  ) async throws -> Target? {
    guard let cover else { return nil }
    let standing = try await here.knownStandings.standing(of: request, for: cover.connection, with: token, here)
    return Target(
      connection: cover.connection, pattern: cover.pattern, credential: standing.credential, proxyReason: nil,
      handsOutTokens: false)
  }

  /// What the layers in front of the target ask for, and the target as it stands then.
  ///
  /// They go first, since calls to the target's portal need them.
  private func pass(
    _ target: Target, _ request: VendRequest, _ token: AccessTokenClaims?, at now: Timestamp
  ) async throws -> (Target, Passes) {
    var passes = Passes()
    if let network = target.network { passes.network = try await open(network, at: now) }
    guard let proxy = target.proxy else { return (target, passes) }
    let held = try await fresh(proxy, isProxy: true, request, token, at: now)
    if let failure = held.failure { throw failure.refusal }
    passes.proxy = held
    return (held.target === proxy ? target : try await lookUpAgain(request, token), passes)
  }

  /// Looks again after an upstream was waited for: what has ended meanwhile has ended for this vend, too.
  private func lookUpAgain(_ request: VendRequest, _ token: AccessTokenClaims?) async throws -> Target {
    switch try await lookUp(request, token) {
    case .target(let target):
      // An administrator may have taken the mark away meanwhile.
      if request.proxiedMethod == nil && !target.handsOutTokens { throw VendRule.unknownTarget }
      return target
    case .refusal(let refusal, _): throw refusal
    }
  }

  private func fresh(
    _ target: Target, isProxy: Bool = false, _ request: VendRequest, _ token: AccessTokenClaims?, at now: Timestamp
  ) async throws -> Held {
    let held = try await open(target, at: now)
    let credential = held.credential
    if case .serve = try target.course(of: credential, for: request, isProxy: isProxy, at: now) { return held }
    if try await isServedMeanwhile(credential, request, at: now) { return held }
    let outcome = await here.refreshes.refresh(credential.id, insteadOf: credential.generation, at: now)
    let later = here.clock.now()
    let again = try await lookUpAgain(request, token)
    guard let layer = isProxy ? again.proxy : again else { throw target.notConnected }
    var latest = try await open(layer, at: later)
    guard case .failed(let failure) = outcome else {
      guard latest.credential.isFresh(for: 1, at: later) else {
        throw Refusal(.upstreamError, "The upstream gave a token that has expired already.")
      }
      return latest
    }
    // A token that still works goes on being served while the upstream is down.
    if latest.credential.isFresh(for: request.minimumLifetime, at: later) { return latest }
    guard failure.mayPass else { throw failure.refusal }
    latest.failure = failure
    return latest
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

  private func apply(
    _ held: Held, _ passes: Passes, _ request: VendRequest, _ token: AccessTokenClaims?, at now: Timestamp
  ) async throws -> VendedToken {
    var registration = here.publicRegistration(for: held.target.connection)
    registration.networkPass = here.networkPass(passes.network)
    var headers: [(name: String, value: Secret)] = []
    if let pass = passes.proxy {
      let proxy = pass.target.connection
      registration.proxyPass = ProxyPass(token: pass.accessToken.secret, hosts: proxy.resources)
      headers = here.upstreams.proxies.headers(
        with: pass.accessToken.secret, for: request.resource, here.publicRegistration(for: proxy))
    }
    let kind = here.upstreams.kind(of: held.target.connection)
    let chosen = try await FederatedToken(here: here, registration: registration)
      .token(for: request.resource, held, at: now)
    if chosen.hasWaited || passes.proxy.map({ $0.target !== held.target.proxy }) ?? false {
      let target = try await lookUpAgain(request, token)
      guard try target.usable(target.credential).id == held.credential.id else { throw target.notConnected }
      try target.checkStillPassing(passes)
    }
    let referer = held.accessToken.referer
    headers += kind.headers(with: chosen.token, for: request.resource, registration)
    headers += referer.map { [(name: "Referer", value: Secret($0))] } ?? []
    let ends = [passes.proxy, passes.network].compactMap { $0?.credential.accessExpiresAt }
    let expiresAt = ends.reduce(chosen.expiresAt, min)
    return VendedToken(
      connection: held.target.connection.id, token: chosen.token, headers: headers, referer: referer,
      expiresAt: expiresAt,
      refreshAt: Credential.askAgain(expiresAt, at: now), matched: held.target.pattern.text)
  }

  private func recordUse(_ vend: Vend, _ request: VendRequest, _ visitor: Visitor, at now: Timestamp) async throws {
    let (vended, held) = (vend.token, vend.held)
    here.noteUse(of: request.client, at: now)
    for used in vend.used where used.needsTouch(at: now) { here.store.touchCredential(used.id, at: now) }
    let lifetime = vended.expiresAt.isNever ? "without end" : "for \(vended.expiresAt - now) s"
    let token =
      held.target.connection.kind.isNetwork
      ? held.target.connection.kind.rawValue
      : "token \(Hex.encode(Array(SHA256.hash(vended.token.revealed).prefix(6)))) \(lifetime)"
    try await here.recordVend(
      AuditEvent(
        .vended, at: now, origin: visitor.origin, account: request.account, client: request.client,
        connection: vended.connection, resource: request.resource.withoutQuery,
        detail: request.detail(request.proxiedMethod.map { "proxied \($0) with \(token)" } ?? token)),
      of: held.credential.account, for: request.resource, by: request.key)
  }

  /// Writes down a refusal and gives it back to be thrown.
  ///
  /// - Throws: ``GoesOnWithout`` for a request of the proxy that the person wants to go on, unless it `isSent`.
  func refused(
    _ refusal: Refusal, _ request: VendRequest, _ connection: ConnectionID?, _ visitor: Visitor, isSent: Bool = false,
    at now: Timestamp
  ) async throws -> Refusal {
    var refusal = refusal
    if let ended = try await here.ending(insteadOf: refusal, request, at: now) {
      if ended.ending == .skipped, request.proxiedMethod != nil, !isSent,
        let missing = refusal.interaction?.connection
      {
        throw GoesOnWithout(connection: missing)
      }
      refusal = ended.refusal
    }
    refusal.interaction?.resource = request.resource
    try await here.recordVend(
      AuditEvent(
        .vendRefused, .failure, at: now, origin: visitor.origin, account: request.account, client: request.client,
        connection: connection, resource: request.resource.withoutQuery,
        detail: request.detail(
          "\(refusal.code.rawValue): \(refusal.interaction?.reason.rawValue ?? refusal.description)")),
      of: request.account, for: request.resource, by: request.key)
    return refusal
  }
}

extension UpstreamFailure {
  /// What an app is told; the details stay in the log.
  var refusal: Refusal {
    switch self {
    case .transient(_, let retryAfter, _):
      Refusal(.temporarilyUnavailable, "The upstream does not answer at the moment.", retryAfter: retryAfter ?? 5)
    case .ambiguous:
      Refusal(.temporarilyUnavailable, "The upstream did not finish its answer.", retryAfter: 5)
    case .misconfigured: Refusal(.upstreamError, "The upstream refuses Gatehouse itself; its administrator has to act.")
    case .invalidAnswer: Refusal(.upstreamError, "The upstream's answer makes no sense.")
    case .refused: Refusal(.upstreamError, "The upstream refused.")
    }
  }
}
