import Domain
import Logging
import Storage
import Upstream

extension VendToken {
  /// The connection that covers the URL, and what the person holds for it.
  ///
  /// A class, since it goes through many hands and has many parts to copy.
  final class Target: Sendable {
    let connection: Connection
    let pattern: ResourcePattern
    let credential: Credential?
    /// The application proxy that the connection's service stands behind.
    let proxy: Target?
    /// What opens the network in front of both.
    let network: Target?
    /// Why the client has to call our proxy; `nil` when it may call the resource itself.
    let proxyReason: ProxyReason?
    /// Whether the client gets the tokens, be it to show them to our proxy.
    let handsOutTokens: Bool

    /// From the outside in.
    var layers: [Target] { [network, proxy, self].compactMap(\.self) }

    init(
      connection: Connection, pattern: ResourcePattern, credential: Credential?, proxy: Target? = nil,
      network: Target? = nil, proxyReason: ProxyReason? = nil, handsOutTokens: Bool = false
    ) {
      self.network = network
      self.handsOutTokens = handsOutTokens
      self.proxyReason = proxyReason
      self.connection = connection
      self.pattern = pattern
      self.credential = credential
      self.proxy = proxy
    }
  }

  /// What the layers in front of a target ask for.
  struct Passes: Sendable {
    var proxy: Held?
    var network: Held?
  }

  /// A credential whose access token is good for long enough, with that token.
  struct Held: Sendable {
    let target: Target
    let credential: Credential
    let accessToken: OpenedToken
    /// Why the access token is not good any more and cannot be renewed now; one got with it may still be.
    var failure: UpstreamFailure?
  }

  /// The access token of the target's credential, unsealed only if that has not happened lately.
  func open(_ target: Target, at now: Timestamp) async throws -> Held {
    let known = try target.usable(at: now)
    if let token = here.openedTokens.token(of: known, target.connection, at: now) {
      return Held(target: target, credential: known, accessToken: token)
    }
    // By its id: in its place may stand somebody else's by now, whom nobody has asked for consent.
    let stored = try await here.store.read { try $0.sealedCredential(known.id) }
    let credential = try target.usable(stored?.0)
    guard let sealed = stored?.1 else { throw target.notConnected }
    let token = try unseal(sealed, credential, target)
    // What opens a network is a password or a key, and those are not kept opened.
    if !target.connection.kind.isNetwork {
      here.openedTokens.remember(token, of: credential, target.connection, at: now)
    }
    return Held(target: target, credential: credential, accessToken: token)
  }

  private func unseal(_ sealed: Sealed, _ credential: Credential, _ target: Target) throws -> OpenedToken {
    do {
      let tokens = try here.unseal(sealed, of: credential, target.connection)
      return OpenedToken(secret: tokens.accessToken, referer: tokens.referer)
    } catch KeyFailure.notAuthentic {
      here.log.error("a sealed credential does not open", ["credential": .string(credential.id.text)])
      here.store.submit(
        AuditEvent(
          .decryptionFailed, .failure, at: here.clock.now(), origin: .system, account: credential.account,
          connection: credential.connection, detail: "the tokens of a credential do not open"))
      throw target.reauthRequired
    }
  }
}

extension VendToken.Target {
  /// The way by the proxy.
  func referral(for resource: ResourceURL, _ reason: ProxyReason) -> ProxyReferral {
    ProxyReferral(
      connection: connection.id, path: connection.proxyPath(for: resource), reason: reason, matched: pattern.text)
  }

  /// The credential, if there is one that can be vended.
  ///
  /// - Throws: `Refusal` `interaction_required`.
  func usable(_ credential: Credential?) throws(Refusal) -> Credential {
    guard let credential, credential.state != .closing else { throw notConnected }
    guard credential.state == .active else { throw reauthRequired }
    return credential
  }

  /// The credential, unless it should have been given up by now.
  ///
  /// - Throws: `Refusal` `interaction_required`.
  func usable(at now: Timestamp) throws(Refusal) -> Credential {
    let credential = try usable(credential)
    guard !credential.isKeptTooLong(at: now) else { throw notConnected }
    return credential
  }

  /// What is done with a credential before it is vended.
  enum Course: Sendable {
    /// Its token is good enough as it is.
    case serve
    case renew
  }

  /// Whether a token of `credential` that is good for long enough has to be fetched first.
  ///
  /// - Throws: `Refusal` when the app wishes for one that cannot be had.
  func course(
    of credential: Credential, for request: VendRequest, isProxy: Bool, at now: Timestamp
  ) throws(Refusal) -> Course {
    let wished = wish(request, isProxy: isProxy)
    if wished > VendRequest.longestOrdinaryWish, !credential.isFresh(for: wished, at: now) {
      guard credential.canRefresh else { throw reauthRequired }
      if let seconds = credential.tooYoungFor(at: now) { throw VendToken.justRenewed(in: seconds) }
    } else if credential.isFresh(for: credential.wantedLifetime(wished), at: now) {
      return .serve
    }
    // What cannot be renewed is served to its end.
    return !credential.canRefresh && credential.isFresh(for: 1, at: now) ? .serve : .renew
  }

  /// - Throws: `Refusal` when the person has to act before it can be used; what opens a network is not looked at before
  ///   the proxy needs it.
  func checkStanding(at now: Timestamp) throws(Refusal) {
    let credential = try usable(credential)
    if connection.kind.isNetwork, !credential.canRefresh, !credential.isFresh(for: 1, at: now) { throw reauthRequired }
  }

  /// - Throws: `Refusal` when the person's credential for a layer is another than that of `passes` by now.
  func checkStillPassing(_ passes: VendToken.Passes) throws(Refusal) {
    for (layer, held) in [(proxy, passes.proxy), (network, passes.network)] {
      guard let held else { continue }
      guard let layer, try layer.usable(layer.credential).id == held.credential.id else {
        throw held.target.notConnected
      }
    }
  }

  var notConnected: Refusal {
    connection.needsPerson(.notConnected, "The person is not connected to this service.")
  }

  var reauthRequired: Refusal {
    connection.needsPerson(.reauthRequired, "The person has to sign in to this service again.")
  }
}

extension Connection {
  func needsPerson(_ reason: Refusal.InteractionReason, _ text: String) -> Refusal {
    guard !kind.isServiceOwned else {
      return Refusal(
        .upstreamError, "The service accepts no credential of Gatehouse itself any more; an administrator has to act.")
    }
    return Refusal(.interactionRequired, text, interaction: .init(reason: reason, connection: id))
  }
}
