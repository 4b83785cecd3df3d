public import Domain
public import HTTP
import Logging
import Upstream

/// Calls a URL for an app with its person's credential, which stays here.
public struct ForwardRequest: Sendable {
  let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Where an app wants its request to go, as it stands in the proxy's path.
  public struct Target: Sendable {
    public let connection: ConnectionID
    /// What stands behind the connection's name, as it was sent.
    public let path: Substring
    public let query: Substring

    public init(connection: ConnectionID, path: Substring, query: Substring) {
      self.connection = connection
      self.path = path
      self.query = query
    }
  }

  /// What the upstream answered, whatever its status.
  public struct Answer: Sendable {
    public let status: Status
    /// Those that may be passed on.
    public let headers: Headers
    /// In bytes, when the upstream said it before.
    public let length: Int?
    /// Still coming.
    public let body: PipeReader
    /// The credentials that the upstream was shown, without the names of their schemes.
    public let shown: [Secret]
    /// Keep it for as long as the body comes.
    let place: ProxyPlaces.Place
  }

  /// Sends `request` on, for the person of `caller` and within what they and an administrator allow.
  ///
  /// `minimumLifetime` is how long the upstream's token should still be good, in seconds.
  ///
  /// - Throws: `Refusal`, as ``VendToken`` does; `slow_down` when too many are under way for the caller.
  public func callAsFunction(
    _ request: Request, to target: Target, for caller: VendCaller, minimumLifetime: Int64 = 0, _ visitor: Visitor
  ) async throws -> Answer {
    guard PassedFields.canPass(request.headers) else {
      throw Refusal(.invalidRequest, "A header field holds bytes that are not UTF-8.")
    }
    let taken = try here.proxyPlaces.take(for: caller, to: target.connection)
    let (connection, url) = try await place(target, caller, visitor)
    let wish = caller.request(url, minimumLifetime: minimumLifetime, audience: connection.id.text)
    guard let list = FilterList(caller.key, url) else {
      return try await forward(request, wish, connection, for: caller, visitor, at: taken)
    }
    let whole: Request
    do { whole = try list.request(request) } catch {
      throw try await refused(error, target, connection.id, caller, visitor)
    }
    let wholeWish = caller.request(list.whole, minimumLifetime: minimumLifetime, audience: connection.id.text)
    let answer = try await forward(whole, wholeWish, connection, for: caller, visitor, at: taken)
    return try await list.answer(answer)
  }

  private func forward(
    _ request: Request, _ asked: VendRequest, _ connection: Connection, for caller: VendCaller, _ visitor: Visitor,
    at taken: ProxyPlaces.Place
  ) async throws -> Answer {
    let url = asked.resource
    for layer in try await here.layers(before: url) { taken.leads(through: layer) }
    var wish = asked
    wish.proxiedMethod = request.method.name
    let vend = VendToken(here)
    let vended: VendToken.Vend
    do { vended = try await vend.forProxy(wish, with: caller.token, visitor) } catch let refused as GoesOnWithout {
      return try await send(request, to: url, without: refused, connection, wish, with: caller, visitor, at: taken)
    }
    do {
      if let network = vended.network, let pass = here.networkPass(network) {
        return try await send(request, to: url, vended.token.headers, through: pass, network, connection, at: taken)
      }
      // A kind that lends its credential to https alone gives no field for anything else.
      guard vended.token.headers.contains(where: { $0.name != "Referer" }) else {
        throw Refusal(.invalidTarget, "The credential of this connection goes over https alone.")
      }
      return try await send(request, to: url, with: Passage(headers: vended.token.headers), for: connection, at: taken)
    } catch let refusal as Refusal {
      throw try await vend.refused(refusal, wish, connection.id, visitor, isSent: true, at: here.clock.now())
    }
  }

  /// How long after the person's standing was read the request may leave; connecting may take five seconds.
  private static let longestWait = Duration.seconds(6)

  func send(
    _ request: Request, to url: ResourceURL, with passage: Passage, for connection: Connection,
    at taken: ProxyPlaces.Place
  ) async throws -> Answer {
    do {
      let answer = try await here.upstreams.forwarder.send(
        request, to: url, with: passage, for: connection, before: .now + Self.longestWait,
        onStart: { taken.ends(by: $0) })
      return Answer(
        status: answer.status, headers: led(answer.headers, from: url, connection), length: answer.length,
        body: answer.body, shown: passage.shown, place: taken)
    } catch  where taken.hasEnded {
      throw Self.ended
    } catch {
      here.log.warning(
        "a request could not be passed on",
        ["connection": .string(connection.id.text), "why": .string(error.text)])
      throw error.proxyRefusal
    }
  }

  private static let ended = Refusal(
    .upstreamError, "What the request was made with has ended meanwhile. The request may have taken effect.")

  /// The answer's fields, with what they lead to as the app has to call it.
  private func led(_ headers: Headers, from url: ResourceURL, _ connection: Connection) -> Headers {
    guard headers["location"] != nil, let own = ResourceURL(here.issuer) else { return headers }
    let place = headers.single("location").flatMap { connection.passedLocation($0, from: url, to: own) }
    var headers = headers
    headers.remove("location")
    if let value = place.flatMap({ FieldValue($0) }) { headers.set("location", value) }
    return headers
  }

  /// The connection and the URL that the proxy's path means.
  private func place(
    _ target: Target, _ caller: VendCaller, _ visitor: Visitor
  ) async throws -> (Connection, ResourceURL) {
    guard let client = try await here.liveClient(caller.client) else { throw Refusal.endedToken }
    let known = try await here.knownConnections.all(in: here.store)
    let connection = known.first { $0.id == target.connection }
    guard let connection, client.permission(for: connection.id) != nil else {
      throw try await refused(Self.unknownConnection, target, nil, caller, visitor)
    }
    guard let url = connection.proxiedURL(target.path, query: target.query) else {
      throw try await refused(Self.outside, target, connection.id, caller, visitor)
    }
    guard !connection.yieldsSecrets(at: url) else {
      throw try await refused(Self.secretEndpoint, target, connection.id, caller, visitor)
    }
    return (connection, url)
  }

  private static let unknownConnection = Refusal(
    .invalidTarget, "There is no connection of this name that this client may use.")

  private static let secretEndpoint = Refusal(
    .invalidTarget, "The proxy does not call what makes tokens or shows secrets.")

  private static let outside = Refusal(
    .invalidTarget, "The path leads to no URL that the connection covers, or can be read in two ways.")

  private func refused(
    _ refusal: Refusal, _ target: Target, _ connection: ConnectionID?, _ caller: VendCaller, _ visitor: Visitor
  ) async throws -> Refusal {
    try await here.recordVend(
      AuditEvent(
        .vendRefused, .failure, at: here.clock.now(), origin: visitor.origin, account: caller.account,
        client: caller.client, connection: connection, detail: "\(refusal.code.rawValue): \(refusal.description)"),
      of: caller.account, for: nil, by: caller.key)
    return refusal
  }
}

extension Passage {
  fileprivate var shown: [Secret] {
    headers.filter { $0.name != "Referer" }.compactMap { field in
      field.value.revealedText.split(separator: " ").last.map { Secret(String($0)) }
    }
  }
}

extension UpstreamFailure {
  /// What an app is told whose own request failed, which Gatehouse cannot repeat for it.
  var proxyRefusal: Refusal {
    switch self {
    case .misconfigured: Refusal(.upstreamError, "The upstream may not be called; an administrator has to act.")
    case .ambiguous: Refusal(.upstreamError, "The upstream did not answer. The request may have taken effect.")
    default: refusal
    }
  }
}
