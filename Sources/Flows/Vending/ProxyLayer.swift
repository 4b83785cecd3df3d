public import Domain
import Logging
import Storage
import Upstream

extension Installation {
  /// The application proxy that `url` stands behind, if an administrator made a connection of it.
  func proxy(before url: ResourceURL) async throws -> Connection? {
    let proxies = try await knownConnections.all(in: store).filter { $0.kind == .iap && !$0.isDisabled }
    return Connection.covering(url, among: proxies)?.0
  }

  /// The connections that may open the way to `url`, whoever holds what for them.
  func layers(before url: ResourceURL) async throws -> [ConnectionID] {
    try await knownConnections.all(in: store)
      .filter { layer in
        (layer.kind == .iap || layer.kind.isNetwork) && layer.resources.cover(url)
      }
      .map(\.id)
  }

  /// The application proxy that the service of `connection` stands behind.
  public func proxy(before connection: Connection) async throws -> Connection? {
    connection.proxy(among: try await knownConnections.all(in: store))
  }

  /// What a call to an upstream for `account` needs, the person's token for a proxy in front of it included.
  func registration(for connection: Connection, of account: AccountID?) async throws -> Registration {
    var registration = try await registration(for: connection)
    registration.proxyPass = try await proxyPass(for: connection, of: account)
    registration.networkPass = try await networkPass(for: connection, of: account)
    return registration
  }

  /// The person's token for the proxy in front of a portal; `nil` where there is none, or they hold nothing for it.
  ///
  /// Also of a credential that is being signed out: what the portal must be told goes through the proxy.
  private func proxyPass(for connection: Connection, of account: AccountID?) async throws -> ProxyPass? {
    guard connection.kind.passesLayers, let account, let proxy = try await proxy(before: connection),
      let held = try await held(of: account, for: proxy)
    else { return nil }
    let (credential, now) = (held.0, clock.now())
    guard credential.canRefresh, !credential.isFresh(for: 60, at: now) else { return try pass(held, proxy) }
    if credential.state == .closing { return try await lastPass(held, proxy, at: now) }
    guard credential.state == .active else { return try pass(held, proxy) }
    // At once and not through the gate: those that wait there may all wait for this one.
    _ = try await RefreshCredentials(self).refresh(credential.id, insteadOf: credential.generation)
    return try await self.held(of: account, for: proxy).flatMap { try pass($0, proxy) }
  }

  private func held(of account: AccountID, for proxy: Connection) async throws -> (Credential, Sealed)? {
    try await store.read { try $0.sealedCredential(of: account, for: proxy.id) }
  }

  private func pass(_ held: (Credential, Sealed), _ proxy: Connection) throws -> ProxyPass? {
    try tokens(held, proxy).map { ProxyPass(token: $0.accessToken, hosts: proxy.resources) }
  }

  /// What a sign-out shows once more, from a credential that it is dropping: nothing of it is kept.
  private func lastPass(_ held: (Credential, Sealed), _ proxy: Connection, at now: Timestamp) async throws -> ProxyPass?
  {
    guard let old = try tokens(held, proxy) else { return nil }
    let (kind, registration) = (upstreams.proxies, try await registration(for: proxy))
    do throws(UpstreamFailure) {
      let answer = try await kind.requestRefresh(RefreshRequest(tokens: old, isRepeated: false, now: now), registration)
      let new = try await kind.tokens(from: answer, replacing: old, registration)
      return ProxyPass(token: new.accessToken, hosts: proxy.resources)
    } catch {
      log.warning(
        "an application proxy cannot be passed at sign-out",
        ["connection": .string(proxy.id.text), "why": .string(error.text)])
      return nil
    }
  }

  private func tokens(_ held: (Credential, Sealed), _ proxy: Connection) throws -> UpstreamTokens? {
    do { return try unseal(held.1, of: held.0, proxy) } catch KeyFailure.notAuthentic {
      log.error("a sealed credential does not open", ["credential": .string(held.0.id.text)])
      return nil
    }
  }

  /// The outermost layer in front of a portal that nothing gets through, because the person is not signed in there.
  func missingLayer(before connection: Connection, of account: AccountID) async throws -> Connection? {
    guard connection.kind.passesLayers else { return nil }
    for layer in [try await network(before: connection), try await proxy(before: connection)] {
      guard let layer else { continue }
      if try await held(of: account, for: layer)?.0.state != .active { return layer }
    }
    return nil
  }
}
