public import Domain
import Logging
import Storage
import Upstream

/// Finds out what a URL demands, and which connections meet that.
public struct ProbeURL: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What was found.
  public struct Report: Sendable {
    public let url: ResourceURL
    public let challenge: Challenge
    /// The connections that cover the URL and meet the challenge, as far as the caller may know of them.
    public let connections: [Connection]
    /// Connections that meet the challenge and do not cover the URL; only an administrator is told.
    public let elsewhere: [Connection]
    /// Every layer that could be seen with what the caller's person holds, and what comes behind them; `nil` when the
    /// URL was asked for nobody.
    public var peeled: PeelLayers.Found?
  }

  /// Probes for an app: only what a connection covers that the app may use, since nothing else was declared.
  ///
  /// What cannot be dialled and what does not answer read the same whatever the reason, so that nobody maps a network.
  ///
  /// - Throws: `Refusal` `invalid_token`; `slow_down` when the client asks too often; `invalid_target` where it may not
  ///   ask; `upstream_error` when there is no answer.
  public func callAsFunction(_ url: ResourceURL, for caller: AccessTokenClaims) async throws -> Report {
    guard try await here.isLive(caller), let client = try await here.liveClient(caller.client) else {
      throw Refusal.endedToken
    }
    if let seconds = here.probes.take(client.id.text, at: here.clock.now()) {
      throw Refusal(.slowDown, "Too many URLs were probed. Try again in a moment.", retryAfter: seconds)
    }
    let all = try await here.knownConnections.all(in: here.store)
    let usable = all.filter { !$0.isDisabled && client.permission(for: $0.id) != nil }
    let covering = Connection.inOrder(covering: url, among: usable)
    guard !covering.isEmpty else { throw Self.notCovered }
    var wish = PeelLayers.Wish(url: url, account: caller.account, connections: usable)
    wish.showable = try await showable(usable, to: client, for: caller.account)
    do {
      let found = try await PeelLayers(here)(wish)
      let challenge = found.outermost
      return Report(
        url: url, challenge: challenge, connections: covering.filter { $0.meets(challenge) }, elsewhere: [],
        peeled: caller.account == nil ? nil : found)
    } catch Probe.Failure.notAllowed(_) {
      throw Self.notCovered
    } catch Probe.Failure.unreachable(let text) {
      here.log.info("a probed URL does not answer", ["client": .string(client.id.text), "error": .string(text)])
      throw Refusal(.upstreamError, "The host of the URL does not answer.")
    }
  }

  /// The connections whose credential the person lets the client use, which a probe uses for it, too.
  private func showable(
    _ connections: [Connection], to client: Client, for account: AccountID?
  ) async throws -> Set<ConnectionID> {
    guard let account else { return [] }
    let consent = try await here.store.read { try $0.consent(of: account, for: client.id) }
    return Set(
      connections.filter {
        VendRule.refusal(client: client, connection: $0, account: account, consent: consent) == nil
      }.map(\.id))
  }

  private static let notCovered = Refusal(.invalidTarget, "No connection that this client may use covers the URL.")

  /// Probes for an administrator, whose asking declares the URL's own host and port.
  ///
  /// - Parameters:
  ///   - url: What is to be asked.
  ///   - authorities: A PEM file of certificates to trust besides the system's.
  /// - Returns: What was found, with the connections that meet it.
  /// - Throws: `Refusal` with a sentence that says why there is no answer.
  public func callAsFunction(_ url: ResourceURL, trusting authorities: String?) async throws -> Report {
    let all = try await here.knownConnections.all(in: here.store)
    let covering = Connection.inOrder(covering: url, among: all.filter { !$0.isDisabled })
    do throws(Probe.Failure) {
      let challenge = try await here.upstreams.probe(
        url, .administrator(authorities: authorities, keysOf: covering),
        identityProviders: Self.identityProviders(in: all))
      let meeting = all.filter { !$0.isDisabled && $0.meets(challenge) }
      return Report(
        url: url, challenge: challenge, connections: covering.filter { $0.meets(challenge) },
        elsewhere: meeting.filter { other in !covering.contains { $0.id == other.id } })
    } catch .notAllowed(let text) {
      throw Refusal(.invalidTarget, text)
    } catch .unreachable(let text) {
      throw Refusal(.upstreamError, text)
    }
  }

  private static func identityProviders(in connections: [Connection]) -> Set<String> {
    Set(connections.filter { $0.kind == .oidc || $0.kind == .iap }.map(\.host))
  }
}

extension Quota {
  /// Every probe makes up to five requests to servers of others.
  static func ofProbes() -> Quota { Quota(each: 30, inAll: 300, window: 60) }
}
