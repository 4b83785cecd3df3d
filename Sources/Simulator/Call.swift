internal import HTTP

/// One request in the simulator's terms.
struct Call: Sendable {
  let request: Request
  let now: Moment
  /// The query's and the form's fields together.
  let parameters: Parameters
  let host: CalledHost

  /// - Throws: ``FormFailure`` for a malformed query or form.
  init(_ request: Request, at now: Moment, published: [String: String] = [:]) throws(FormFailure) {
    self.request = request
    self.now = now
    parameters = try Parameters(of: request)
    host = CalledHost(header: request.headers["host"], isSecure: request.isSecure, published: published)
  }

  private init(_ request: Request, at now: Moment, parameters: Parameters, host: CalledHost) {
    (self.request, self.now, self.parameters, self.host) = (request, now, parameters, host)
  }

  /// The token presented: `X-Esri-Authorization` before `Authorization` before the field `token`.
  var token: String? {
    bearer("x-esri-authorization") ?? bearer("authorization") ?? parameters["token"]
  }

  /// What App Proxy takes as a token: `Authorization` and nothing else.
  var proxyToken: String? { bearer("authorization") }

  /// The call as App Proxy passes it on: without the token that was meant for itself.
  func passedOn() -> Call {
    var request = request
    request.headers.remove("authorization")
    return Call(request, at: now, parameters: parameters, host: host)
  }

  private func bearer(_ name: FieldName) -> String? {
    guard let value = request.headers[name] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}

/// The host by which the simulator was called; it decides what it pretends to be.
struct CalledHost: Sendable, Equatable {
  /// In lower case, without the port.
  let name: String
  /// With its colon; empty when the request named none.
  let port: String
  let scheme: String
  /// Where a web server in front of the simulator shows it, when the call came from there.
  let publishedAs: String?

  /// A missing or unreadable `Host` counts as `127.0.0.1`; one that is `published` as the host that stands behind it.
  init(header: String?, isSecure: Bool, published: [String: String] = [:]) {
    let named = header.flatMap { published[$0] }
    publishedAs = named == nil ? nil : header.map { "https://\($0)" }
    let authority = (named ?? header).flatMap { Authority($0) }
    name = authority?.host ?? "127.0.0.1"
    port = authority?.port.map { ":\($0)" } ?? ""
    scheme = isSecure ? "https" : "http"
  }

  /// The scheme, host and port as called.
  var origin: String { publishedAs ?? origin(ofHost: name) }

  /// The same scheme and port at another host.
  func origin(ofHost name: String) -> String { "\(scheme)://\(name)\(port)" }

  var isServer: Bool { name == Self.server }

  var isStranger: Bool { name == Self.stranger }

  var isLogin: Bool { name == Self.login }

  var isProxy: Bool { name == Self.proxy }

  static let portal = "portal.localhost"
  static let server = "server.localhost"
  /// A server that names somebody else's portal: no token of ours must ever be sent there.
  static let stranger = "stranger.localhost"
  /// The Entra directory.
  static let login = "login.localhost"
  /// App Proxy, with the portal and its server behind it.
  static let proxy = "apps.localhost"
}
