internal import Domain
internal import HTTP
internal import HTTPClient
internal import JSON

/// Sends requests to upstreams, each within what its connection may reach, and says in words what went wrong.
struct Dialer: Sendable {
  let client: OutboundClient

  /// One request before it is bound to a connection.
  struct Call {
    var url: String
    var form: QueryItems?
    /// A JSON object to send with the method DELETE.
    var deletes: [UInt8]?
    /// Some interfaces, such as GitHub's, answer nobody who does not say what they are.
    var headers: Headers = ["accept": "application/json", "user-agent": "Gatehouse"]
    /// Bytes of body that a sensible answer has at most.
    var limit = 256 * 1024
    /// Whether it must not be lost: over a connection of its own, never cancelled once begun.
    var isPrecious = false
    var sendBefore: ContinuousClock.Instant?
    /// What opens the network in front of the upstream.
    var passage: Passage?
  }

  /// Sends `call` and returns the complete answer, whatever its status; redirects are answers too.
  func send(_ call: Call, for connection: Connection) async throws(UpstreamFailure) -> Reply {
    var request = OutboundRequest(call.form == nil ? .get : .post, call.url, headers: call.headers)
    if let form = call.form {
      request.body = form.body
      request.headers.set("content-type", "application/x-www-form-urlencoded")
    }
    if let object = call.deletes {
      request.method = .delete
      request.body = object
      request.headers.set("content-type", "application/json")
    }
    request.limits.body = call.limit
    request.mayReuseConnection = !call.isPrecious
    request.cancellable = !call.isPrecious
    request.sendBefore = call.sendBefore
    try call.passage?.apply(to: &request)
    connection.open(&request)
    let url = ResourceURL(call.url)
    let host = url?.origin ?? "the address"
    do {
      let response = try await client.send(request)
      return Reply(
        host: host, status: response.status.code, headers: response.headers, body: response.body,
        date: response.date)
    } catch {
      throw Self.failure(of: error, at: host, declaredAs: url?.hostAndPort ?? "the host")
    }
  }

  /// Asks for `url` as `passage` says, once and over a connection of its own, and reads no more than the answer's head.
  func head(
    of url: String, _ passage: Passage?, for connection: Connection
  ) async throws(UpstreamFailure) -> (status: Int, headers: Headers) {
    var request = OutboundRequest(.get, url, headers: Call(url: url).headers)
    request.mayReuseConnection = false
    try passage?.apply(to: &request)
    connection.open(&request)
    let place = ResourceURL(url)
    do {
      let answer = try await client.open(request)
      return (answer.status.code, answer.headers)
    } catch {
      throw Self.failure(of: error, at: place?.origin ?? "the address", declaredAs: place?.hostAndPort ?? "the host")
    }
  }

  /// What a failed exchange means for the caller.
  static func failure(
    of cause: OutboundFailure, at host: String, declaredAs name: String
  ) -> UpstreamFailure {
    switch cause {
    case .refusedByPolicy(let refusal):
      .misconfigured(
        "\(host) may not be called: \(refusal) Declare \(name) for the connection to allow it.", isSent: false)
    case .notSent(let cause) where cause.kind == .certificate:
      .misconfigured("The certificate of \(host) is not trusted (\(LogText.clean(cause.detail))).", isSent: false)
    case .notSent(let cause) where cause.kind == .otherKey:
      .misconfigured(
        "\(host) shows another key than the one that an administrator approved: look at it, and approve it again if it is "
          + "the right one.", isSent: false)
    case .notSent(let cause) where cause.kind == .approvalEnded:
      .misconfigured(
        "The approval of the key of \(host) has ended: an administrator has to approve it again.", isSent: false)
    case .notSent(let cause):
      .transient("\(host) cannot be reached (\(LogText.clean(cause.description))).", retryAfter: nil, .notSent)
    case .incomplete(let cause):
      .ambiguous("\(host) gave no complete answer (\(LogText.clean(cause.description))).")
    case .tooLarge: .invalidAnswer("\(host) answered with more than such an answer can hold.")
    }
  }
}

/// A complete answer of an upstream.
struct Reply {
  let host: String
  let status: Int
  let headers: Headers
  let body: [UInt8]
  /// What the server's clock said, in seconds since 1970.
  let date: Int?

  /// Seconds of `Retry-After`, at most an hour; `nil` when it is absent or unreadable.
  var retryAfter: Int64? {
    guard let text = headers["retry-after"] else { return nil }
    let moment = HTTPDate.parse(text).flatMap { until in date.map { Int64(until - $0) } }
    guard let seconds = Int64(text) ?? moment, seconds >= 0 else { return nil }
    return min(seconds, 3600)
  }
}

extension Connection {
  /// Lets `request` go where the connection may go: to what is declared, and to the ports of the URLs that an
  /// administrator typed as its origin, endpoints and resources, such as 7443 of a portal and 6443 of a server.
  ///
  /// That opens neither private addresses of a name nor plain http.
  func open(_ request: inout OutboundRequest) {
    reach.open(&request)
    guard let url = ResourceURL(request.url) else { return }
    request.pin = pin(for: url)
    let typed = [origin] + (provider.endpoints?.all ?? []) + resources.map(\.text).filter { $0.contains("://") }
    guard typed.contains(where: { ResourceURL($0)?.origin == url.origin }) else { return }
    request.reach.endpoints.insert(.init(host: url.host, port: url.port))
  }
}

extension Domain.Reach {
  /// Lets `request` go where an administrator declared that this connection may go.
  ///
  /// A declared name opens private addresses for itself only, and loopback only when the name says so: whoever controls
  /// the DNS of another name must not choose addresses of this machine.
  func open(_ request: inout OutboundRequest) {
    request.reach.allowsHTTP = allowsHTTP
    request.reach.networks = networks.compactMap { AddressRange($0) }
    guard let url = ResourceURL(request.url), hosts.contains(url.hostAndPort) else { return }
    request.reach.allowsHTTP = true
    request.reach.endpoints = [.init(host: url.host, port: url.port)]
    let opened =
      url.isLoopbackName
      ? ["127.0.0.0/8", "::1/128"] : ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]
    request.reach.networks += opened.compactMap { AddressRange($0) }
  }
}

extension ResourceURL {
  /// `host:port`, as an administrator declares it.
  var hostAndPort: String { "\(host):\(port)" }

  /// Whether the name itself says that it is this machine (RFC 6761 §6.3).
  var isLoopbackName: Bool { host == "localhost" || host.hasSuffix(".localhost") }
}
