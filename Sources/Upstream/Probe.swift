public import Domain
internal import HTTP
internal import HTTPClient
internal import JSON

/// Finds out what a URL demands, by asking for it without any credential, or with those that satisfy outer layers.
public struct Probe: Sendable {
  private let client: OutboundClient

  init(client: OutboundClient) { self.client = client }

  /// What a probe may dial.
  public enum Permission: Sendable {
    /// What the connection that covers the URL may.
    case connection(Connection)
    /// The URL's own host and port, which an administrator declares by asking for it; `authorities` is a PEM file of
    /// certificates to trust besides the system's, and servers that one of `connections` trusts by key are trusted so.
    case administrator(authorities: String? = nil, keysOf: [Connection] = [])

    /// Whether `url`, to which an answer leads on, may be asked, too.
    fileprivate func covers(_ url: ResourceURL) -> Bool {
      guard case .connection(let connection) = self else { return true }
      return connection.resources.cover(url)
    }
  }

  /// Why there is no answer.
  public enum Failure: Error, Sendable, Equatable {
    /// The URL leads where ``Permission`` does not; the text is for the administrator.
    case notAllowed(String)
    case unreachable(String)
  }

  /// What all rounds of a probe may take together.
  public struct Budget: Sendable {
    /// Requests of one round.
    static let mostRequests = 5
    fileprivate var requests = 10
    fileprivate let deadline: ContinuousClock.Instant

    /// Ten seconds and ten requests from now on; three layers take five.
    public init() { deadline = .now + .seconds(10) }
  }

  /// Asks for `url`.
  ///
  /// - Parameters:
  ///   - url: What to ask for; redirects are followed within its origin alone, for an app also within what the connection
  ///     covers.
  ///   - permission: What may be dialled.
  ///   - identityProviders: Hosts that sign people in, besides those that everybody knows.
  ///   - shown: What satisfies outer layers, from the outside in.
  ///   - budget: What is left for this round and those after it.
  /// - Returns: The outermost layer of what it demands still.
  /// - Throws: ``Failure`` when there is no answer to tell by.
  public func callAsFunction(
    _ url: ResourceURL, _ permission: Permission, identityProviders: Set<String> = [], showing shown: [ShownCredential],
    within budget: inout Budget
  ) async throws(Failure) -> Challenge {
    var run = Run(
      client: client, permission: permission, identityProviders: identityProviders, shown: shown, budget: budget)
    defer { budget = run.budget }
    return try await run.challenge(at: url)
  }

  /// Asks once, without any credential.
  public func callAsFunction(
    _ url: ResourceURL, _ permission: Permission, identityProviders: Set<String> = []
  ) async throws(Failure) -> Challenge {
    var budget = Budget()
    return try await self(url, permission, identityProviders: identityProviders, showing: [], within: &budget)
  }
}

/// One round of a probe on its way.
private struct Run {
  private static let mostRedirects = 3

  let client: OutboundClient
  let permission: Probe.Permission
  let identityProviders: Set<String>
  let shown: [ShownCredential]
  var budget: Probe.Budget
  private var requests = 0

  init(
    client: OutboundClient, permission: Probe.Permission, identityProviders: Set<String>, shown: [ShownCredential],
    budget: Probe.Budget
  ) {
    self.client = client
    self.permission = permission
    self.identityProviders = identityProviders
    self.shown = shown
    self.budget = budget
  }

  private var mayAsk: Bool { requests < Probe.Budget.mostRequests && budget.requests > 0 }

  mutating func challenge(at url: ResourceURL) async throws(Probe.Failure) -> Challenge {
    var url = url.namesServiceOfArcGIS ? url.askingForJSON ?? url : url
    var redirects = 0
    while mayAsk {
      let sight: Sight
      switch try await ask(url) {
      case .answer(let answer):
        sight = Sight(answer, at: url, identityProviders, showing: Set(shown.map(\.layer)))
      case .challenge(let challenge): return challenge
      }
      switch sight {
      case .challenge(let challenge): return challenge
      case .arcGIS: return .arcGIS(await owner(of: url))
      case .redirect(let next):
        guard redirects < Self.mostRedirects else { return .unknown("It redirects again and again.") }
        guard permission.covers(next) else { return .unknown("It redirects to what no connection covers.") }
        redirects += 1
        url = next
      case .page:
        guard !url.asksForJSON, let next = url.askingForJSON else {
          // Who got in is shown the page that was asked for.
          guard shown.isEmpty else { return .none }
          return .unknown("It answers with a page, also when asked for JSON: a sign-in of its own may stand there.")
        }
        url = next
      }
    }
    return .unknown("It redirects again and again.")
  }

  private enum Reply {
    case answer(OutboundResponse)
    /// The handshake said it already.
    case challenge(Challenge)
  }

  private mutating func ask(_ url: ResourceURL) async throws(Probe.Failure) -> Reply {
    requests += 1
    budget.requests -= 1
    let request: OutboundRequest
    do throws(UpstreamFailure) { request = try await self.request(for: url) } catch { throw .notAllowed(error.text) }
    do throws(OutboundFailure) {
      return .answer(try await client.send(request))
    } catch {
      switch error {
      case .refusedByPolicy(let refusal): throw .notAllowed("\(refusal)")
      case .tooLarge: return .challenge(.unknown("It answers with more than a challenge can hold."))
      case .notSent(let cause), .incomplete(let cause):
        if let challenge = NetworkChallenge(endedBy: cause) { return .challenge(.network(challenge)) }
        throw .unreachable("\(url.origin) cannot be reached (\(LogText.clean(cause.description))).")
      }
    }
  }

  private func request(for url: ResourceURL) async throws(UpstreamFailure) -> OutboundRequest {
    var request = OutboundRequest(.get, url.text, headers: ["accept": "application/json, */*;q=0.5"])
    request.limits.body = 1 << 20
    request.limits.total = max(budget.deadline - .now, .milliseconds(1))
    request.observesHandshake = true
    request.cancellable = true
    switch permission {
    case .connection(let connection): connection.open(&request)
    case .administrator(let authorities, let connections):
      Domain.Reach(hosts: [url.hostAndPort]).open(&request)
      request.authorities = authorities
      request.pin = connections.lazy.compactMap { $0.pin(for: url) }.first
    }
    for credential in shown { try await credential.show(in: &request, to: url) }
    return request
  }

  /// Whose tokens the server at `url` takes, by its own word; it says nothing when it cannot be asked.
  private mutating func owner(of url: ResourceURL) async -> ArcGISChallenge {
    let silent = ArcGISChallenge(portal: nil, tokenService: nil)
    guard mayAsk, let info = url.arcGISInfo else { return silent }
    do {
      guard case .answer(let answer) = try await ask(info), let json = PortalAnswer.json(answer.body) else {
        return silent
      }
      return ArcGISChallenge(info: json)
    } catch { return silent }
  }
}

extension ArcGISChallenge {
  /// Reads what `/rest/info` says; addresses that are none are left out.
  fileprivate init(info: JSONValue) {
    let tokenService = info["authInfo"]?.string("tokenServicesUrl").flatMap { ResourceURL($0)?.text }
    self.init(portal: info.string("owningSystemUrl").flatMap { PortalAddress($0)?.root }, tokenService: tokenService)
  }
}

extension NetworkChallenge {
  /// What made the server or us end the handshake; `nil` when it was something else.
  init?(endedBy cause: OutboundFailure.Cause) {
    if let distrust = cause.handshake?.distrust {
      self = .serverTrust(Distrust(distrust))
    } else if let authorities = cause.handshake?.clientAuthorities, cause.kind == .tls || cause.kind == .connectionLost
    {
      self = .clientCertificate(authorities: authorities.map(LogText.line))
    } else {
      return nil
    }
  }
}

extension Domain.Distrust {
  init(_ distrust: Handshake.Distrust) {
    switch distrust {
    case .unknownAuthority: self = .unknownAuthority
    case .expired: self = .expired
    case .notYetValid: self = .notYetValid
    case .otherHost: self = .otherHost
    case .other: self = .other
    }
  }
}

extension ResourceURL {
  fileprivate var asksForJSON: Bool { query.split(separator: "&").contains { $0 == "f=json" || $0 == "f=pjson" } }

  fileprivate var askingForJSON: ResourceURL? {
    let others = query.split(separator: "&").filter { !$0.hasPrefix("f=") }
    return ResourceURL("\(withoutQuery)?\((others + ["f=json"]).joined(separator: "&"))")
  }

  /// Whether the URL alone says that it is part of ArcGIS REST and names no format, so that a page would come.
  fileprivate var namesServiceOfArcGIS: Bool {
    (path.contains("/rest/services/") || path.contains("/sharing/rest/"))
      && !query.split(separator: "&").contains { $0.hasPrefix("f=") }
  }

  /// Where an ArcGIS portal or server says whose it is; `nil` when the path is that of neither.
  fileprivate var arcGISInfo: ResourceURL? {
    let segments = path.split(separator: "/")
    if let end = segments.firstIndex(of: "sharing") {
      return ResourceURL(([origin[...]] + segments[..<end]).joined(separator: "/") + "/sharing/rest/info?f=json")
    }
    return ServerRoot.of(self).flatMap { ResourceURL($0 + "/rest/info?f=json") }
  }
}
