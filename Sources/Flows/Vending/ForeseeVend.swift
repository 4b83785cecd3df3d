import Domain
import Storage
import Upstream

extension VendToken {
  /// What a vend of `request` would come to now; tells `trace` why.
  ///
  /// It asks the same questions as a vend, but no upstream, and neither opens nor hands out nor writes anything. Where an
  /// upstream would have to answer first, it is taken to agree.
  ///
  /// - Throws: `Refusal`: the one that the app would get.
  func foresee(_ request: VendRequest, _ trace: VendTrace) async throws {
    let now = here.clock.now()
    let target = try await foreseenTarget(of: request, trace)
    for layer in target.layers { try foresee(layer, before: target, request, trace, at: now) }
    guard target.handsOutTokens else {
      if request.unattended != nil {
        trace.refused(.outcome, VendRule.proxyIsAttended.description)
        throw VendRule.proxyIsAttended
      }
      return try foreseeProxy(target, request, trace)
    }
    foreseeOutcome(target, trace)
  }

  private func foreseenTarget(of request: VendRequest, _ trace: VendTrace) async throws -> Target {
    let found: Found
    do {
      found = try await lookUp(request, nil, trace)
    } catch let refusal as Refusal where refusal == .endedToken {
      trace.refused(.person, "The account is disabled or deleted, and its tokens have ended with it.")
      throw refusal
    }
    switch found {
    case .refusal(let refusal, _): throw refusal
    case .target(let target): return target
    }
  }

  /// What the person, or Gatehouse itself, holds for one layer.
  private func foresee(
    _ layer: Target, before target: Target, _ request: VendRequest, _ trace: VendTrace, at now: Timestamp
  ) throws {
    let name = layer.connection.name
    do {
      let credential = try layer.usable(at: now)
      // What opens a network is shown as it is.
      if layer === target.network { return trace.passed(.credential, "A credential for \(name) is held.") }
      switch try layer.course(of: credential, for: request, isProxy: layer === target.proxy, at: now) {
      case .serve: trace.passed(.credential, "The credential for \(name) works \(credential.remaining(at: now)).")
      case .renew: try foreseeRenewal(of: credential, layer, request, trace, at: now)
      }
    } catch {
      trace.refused(.credential, "\(name): \(error.description)")
      throw error
    }
    if layer === target { try foreseeFederation(target, request, trace) }
  }

  private func foreseeRenewal(
    of credential: Credential, _ layer: Target, _ request: VendRequest, _ trace: VendTrace, at now: Timestamp
  ) throws(Refusal) {
    let name = layer.connection.name
    guard credential.canRefresh else { throw layer.reauthRequired }
    trace.passed(
      .credential, "The credential for \(name) works \(credential.remaining(at: now)), and would be renewed first.")
    guard let silence = here.silence(of: layer.connection.id), silence.triesAt > now else {
      return trace.noted(.upstream, "\(name) would be asked for the next token; what it answers is not known before.")
    }
    if credential.isFresh(for: request.minimumLifetime, at: now) {
      return trace.noted(.upstream, "\(name) does not answer at present, so the token at hand is served.")
    }
    throw Refusal(
      .temporarilyUnavailable, "The upstream does not answer at the moment.", retryAfter: silence.triesAt - now)
  }

  private func foreseeFederation(_ target: Target, _ request: VendRequest, _ trace: VendTrace) throws {
    guard target.connection.kind.isPortal else { return }
    switch here.upstreams.portals.federation(for: request.resource, target.connection) {
    case .portal: break
    case .server(let root):
      trace.noted(
        .upstream,
        "\(root) is a server of its own, which takes a token that the portal makes for it if it belongs there.")
    case .notFederated:
      trace.refused(.upstream, FederatedToken.notFederated.description)
      throw FederatedToken.notFederated
    }
  }

  private func foreseeProxy(_ target: Target, _ request: VendRequest, _ trace: VendTrace) throws {
    let holder = request.account?.text ?? request.client.text
    let (taken, most) = (here.proxyPlaces.count(of: holder), ProxyPlaces.each)
    let words = "\(taken) of at most \(most) requests by the proxy are under way."
    guard taken < most else {
      trace.refused(.limits, words)
      throw Refusal(.slowDown, words, retryAfter: 1)
    }
    trace.passed(.limits, words)
    let reason = target.proxyReason ?? .rawTokenNotAllowed
    trace.passed(.outcome, "The app is sent to the proxy (\(reason.rawValue)), which makes its requests.")
  }

  private func foreseeOutcome(_ target: Target, _ trace: VendTrace) {
    let way = target.proxyReason.map { ", and the way by the proxy (\($0.rawValue))" } ?? ""
    trace.passed(.outcome, "The app gets a token of \(target.connection.name)\(way).")
  }
}

extension Credential {
  /// How long its access token works.
  fileprivate func remaining(at now: Timestamp) -> String {
    if accessExpiresAt.isNever { return "until it is changed" }
    return accessExpiresAt > now ? "for \(accessExpiresAt - now) s more" : "no longer"
  }
}
