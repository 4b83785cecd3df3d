import Crypto
public import Domain
import Logging
import Storage
import Upstream

/// Finds out which layers stand in front of a URL, one after another: each is asked for with what the person already
/// holds for the outer ones.
public struct PeelLayers: Sendable {
  static let mostRounds = 5

  let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Which URL, and whose credentials may be shown to find out.
  public struct Wish: Sendable {
    public let url: ResourceURL
    /// `nil` where only the service's own credentials count.
    public let account: AccountID?
    /// The connections that may be named.
    public let connections: [Connection]
    /// Those whose credential may be shown; of others only that they match is told.
    public var showable: Set<ConnectionID>
    /// What the person does not want to use for this URL.
    public var rejected: [ConnectionID] = []

    public init(url: ResourceURL, account: AccountID?, connections: [Connection]) {
      self.url = url
      self.account = account
      self.connections = connections
      showable = Set(connections.map(\.id))
    }
  }

  /// One layer, with the connection that answers it.
  public struct Layer: Sendable {
    public let challenge: Challenge
    /// The connections that meet it, the first one to be used first; without those that the person rejected.
    public let candidates: [Connection]
    public internal(set) var state: State
    /// Whom the person is there, when they hold something.
    public internal(set) var credential: Credential?
    /// The header fields that carry what is held.
    public internal(set) var fieldNames: [String] = []
    /// Who issued the certificate that is held, where the server names others; it may take it all the same.
    public internal(set) var foreignIssuer: String?
    /// Whether what is held was had so lately that another one would be refused alike.
    public internal(set) var isJustRenewed = false

    public var connection: Connection? { candidates.first }
  }

  /// How far a layer is.
  public enum State: String, Sendable, CaseIterable {
    case satisfied
    case notConnected = "not_connected"
    /// What is held works no more.
    case reauthRequired = "reauth_required"
    /// What is held was shown, and the layer asked again.
    case refused
    /// The same of a certificate that none of the authorities issued which the server names.
    case otherAuthority = "other_authority"
    /// It may not be shown for the one who asks, or not to this URL.
    case notAllowed = "not_allowed"
    /// It is held, and cannot be made use of at the moment.
    case unavailable
    /// No connection meets it.
    case unmet
  }

  /// What was found.
  public struct Found: Sendable {
    /// From the outside in; all but the last are satisfied.
    public internal(set) var layers: [Layer] = []
    /// What satisfies them.
    var shown: [ShownCredential] = []
    public internal(set) var end: End = .waits
    /// What it demanded last.
    public internal(set) var last: Challenge = .none

    /// What it demands of somebody without any credential.
    public var outermost: Challenge { layers.first?.challenge ?? last }
  }

  public enum End: Sendable, Equatable {
    /// It answers whoever has satisfied the layers.
    case answers
    /// The last layer is not satisfied.
    case waits
    /// It knows the person, and does not let them have this.
    case forbidden
    /// Nobody can say what it wants; the text says what was seen.
    case unknown(String)
  }

  /// Asks, in at most five rounds.
  ///
  /// - Throws: `Probe.Failure` when the URL may not be asked or does not answer.
  public func callAsFunction(_ wish: Wish) async throws -> Found {
    let all = try await here.knownConnections.all(in: here.store)
    let identityProviders = Set(all.filter { $0.kind == .oidc || $0.kind == .iap }.map(\.host))
    let covering = Connection.inOrder(covering: wish.url, among: wish.connections.filter { !$0.isDisabled })
    guard let nearest = covering.first else { throw Probe.Failure.notAllowed("No connection covers the URL.") }
    var (found, budget) = (Found(), Probe.Budget())
    for _ in 0..<Self.mostRounds {
      let sentAt = ContinuousClock.now
      let challenge = try await here.upstreams.probe(
        wish.url, .connection(nearest), identityProviders: identityProviders, showing: found.shown, within: &budget)
      found.last = challenge
      guard challenge.layer != nil else {
        found.end = Self.end(challenge)
        return found
      }
      guard try await peel(challenge, sentAt: sentAt, wish, among: all, &found) else { return found }
    }
    found.end = .unknown("It asks again and again, whatever it is shown.")
    return found
  }

  private static func end(_ challenge: Challenge) -> End {
    switch challenge {
    case .none: .answers
    case .forbidden: .forbidden
    case .unknown(let text): .unknown(text)
    // An untrusted server is shown nothing.
    default: .unknown("It shows a certificate that is not trusted.")
    }
  }

  /// Adds the layer; false when it is not satisfied.
  private func peel(
    _ challenge: Challenge, sentAt: ContinuousClock.Instant, _ wish: Wish, among all: [Connection],
    _ found: inout Found
  ) async throws -> Bool {
    if let again = found.layers.firstIndex(where: { $0.challenge.layer == challenge.layer }) {
      try await judge(again, askedFor: challenge, sentAt: sentAt, wish.url, &found)
      found.layers.removeSubrange((again + 1)...)
      return false
    }
    let (candidates, foreign) = try await candidates(for: challenge, wish, among: all)
    guard let chosen = candidates.first else {
      found.layers.append(Layer(challenge: challenge, candidates: [], state: .unmet))
      return false
    }
    let isShowable = wish.showable.contains(chosen.id) && !chosen.yieldsSecrets(at: wish.url)
    let presented =
      try await isShowable
      ? PresentCredential(here)(chosen, of: wish.account, for: wish.url, behind: found.shown)
      : .unusable(.notAllowed, nil)
    var layer = Layer(challenge: challenge, candidates: candidates, state: .satisfied)
    layer.foreignIssuer = isShowable ? foreign[chosen.id] : nil
    switch presented {
    case .shown(let credential, let held):
      (layer.credential, layer.fieldNames) = (held, credential.fieldNames(for: wish.url))
      found.shown.append(credential)
    case .unusable(let state, let held): (layer.state, layer.credential) = (state, held)
    }
    layer.isJustRenewed = isJustRenewed(layer)
    found.layers.append(layer)
    return layer.state == .satisfied
  }

  /// In seconds: a person who signs in again takes a while to come back.
  private static let fresh: Int64 = 5 * 60

  private func isJustRenewed(_ layer: Layer) -> Bool {
    layer.credential.map { here.clock.now() - $0.refreshedAt < Self.fresh } ?? false
  }

  /// Says why the layer was asked for again although something was shown for it.
  ///
  /// What opens a network may be right and only not for this URL: its own address says so. What is refused there is never
  /// shown again, since that might lock the account.
  private func judge(
    _ index: Int, askedFor challenge: Challenge, sentAt: ContinuousClock.Instant, _ url: ResourceURL,
    _ found: inout Found
  ) async throws {
    let layer = found.layers[index]
    found.layers[index].state = layer.foreignIssuer != nil ? .otherAuthority : .refused
    let shown = found.shown.first { $0.connection.id == layer.connection?.id }
    guard layer.foreignIssuer == nil, let held = layer.credential, let connection = layer.connection,
      let pass = shown?.networkPass
    else { return }
    var verdict = LoginTrials.Verdict.refused
    if !pass.isProved(at: url) { verdict = await here.judge(held, pass, sentAt: sentAt) }
    here.loginTrials.end(held, verdict)
    switch verdict {
    case .refused: try await ForwardRequest(here).forget(held)
    case .accepted:
      found.layers[index].state = .satisfied
      found.end =
        connection.meets(challenge)
        ? .forbidden
        : .unknown("\(url.host) takes the sign-in of \(connection.name), and asks for another one besides.")
    case .doubtful, .unknown: found.layers[index].state = .unavailable
    }
  }

  /// The connections that a vend would choose for the layer and that meet it, one that the person holds first, one that
  /// they hold a certificate of another authority for last; with the issuers of such certificates.
  ///
  /// What covers the URL less well than another is never vended, so that signing in with it would help nobody.
  private func candidates(
    for challenge: Challenge, _ wish: Wish, among all: [Connection]
  ) async throws -> ([Connection], foreign: [ConnectionID: String]) {
    let ofLayer = all.filter { $0.kind.layer == challenge.layer }
    let known = Set(wish.connections.map(\.id)).subtracting(wish.rejected)
    let meeting = Connection.bestCovering(wish.url, among: ofLayer).filter { connection in
      known.contains(connection.id) && !connection.isDisabled && connection.meets(challenge)
        && (wish.account != nil || connection.kind.isServiceOwned)
    }
    let held = try await here.store.read { tx in try wish.account.map { try tx.credentials(of: $0) } ?? [] }
    let active = Set(held.filter { $0.state == .active }.map(\.connection))
    let foreign = try await foreignIssuers(challenge, among: meeting, held)
    let rank: (Connection) -> Int = { connection in
      if foreign[connection.id] != nil { return 3 }
      return active.contains(connection.id) ? 0 : connection.kind.isServiceOwned ? 2 : 1
    }
    return (meeting.sorted { (rank($0), $0.id.text) < (rank($1), $1.id.text) }, foreign)
  }
}

extension Connection {
  /// The connections that cover `url`, the most specific first.
  static func inOrder(covering url: ResourceURL, among connections: [Connection]) -> [Connection] {
    connections
      .compactMap { connection in connection.specificity(for: url).map { (connection, specificity: $0) } }
      .sorted { $0.specificity > $1.specificity }.map(\.0)
  }

  /// Those of them that none beats.
  static func bestCovering(_ url: ResourceURL, among connections: [Connection]) -> [Connection] {
    let best = connections.compactMap { $0.specificity(for: url) }.max()
    return connections.filter { best != nil && $0.specificity(for: url) == best }
  }

  private func specificity(for url: ResourceURL) -> Int? { resources.compactMap { $0.specificity(for: url) }.max() }
}
