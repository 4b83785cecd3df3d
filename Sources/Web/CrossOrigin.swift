import Domain
import Flows
import HTTP

/// Lets the web pages of registered apps read what their own requests are answered (Fetch, HTTP-CORS protocol).
///
/// No answer depends on a cookie where this applies, so credentials are never allowed.
struct CrossOrigin: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  /// Answers a browser that asks whether a page may send a request; `nil` when the page is no registered app's.
  func preflight(_ call: Call, methods: [HTTP.Method]) async throws -> Response? {
    guard let field = call.request.headers["origin"], let origin = PageOrigin(field),
      try await here.mayRead(origin, answerTo: nil)
    else { return nil }
    var response = Response(status: .noContent, headers: ["access-control-max-age": "600"])
    open(&response, to: field)
    set("access-control-allow-methods", methods.map(\.name).joined(separator: ", "), in: &response)
    let asked = call.request.headers["access-control-request-headers"] ?? ""
    let allowed = asked.split(separator: ",").map { $0.lowercased().filter { $0 != " " } }
      .filter { Self.isOrdinary($0) }
    if !allowed.isEmpty { set("access-control-allow-headers", allowed.joined(separator: ", "), in: &response) }
    return response
  }

  /// Lets the page that sent a request read its answer, if it is one of the client that the answer is for.
  func share(_ response: inout Response, _ call: Call) async throws {
    guard let field = call.request.headers["origin"], let origin = PageOrigin(field),
      try await here.mayRead(origin, answerTo: try await client(of: call))
    else { return }
    open(&response, to: field)
    set("access-control-expose-headers", Self.exposed, in: &response)
  }

  /// The same of a request that could not be read; there is nothing in the answer but that.
  func share(_ response: inout Response, with field: String) async throws {
    guard let origin = PageOrigin(field), try await here.mayRead(origin, answerTo: nil) else { return }
    open(&response, to: field)
    set("access-control-expose-headers", Self.exposed, in: &response)
  }

  private static let exposed =
    "DPoP-Nonce, WWW-Authenticate, Retry-After, ETag, Content-Disposition, Content-Range, Location"

  /// Who a request says that it comes from; whether that is so, its endpoint finds out.
  private func client(of call: Call) async throws -> ClientID? {
    if let key = call.request.headers.single(AppCaller.field) { return try await here.client(ofAPIKey: key) }
    if let token = AuthorizationField(call.request.headers), ["bearer", "dpop"].contains(token.scheme) {
      if AuthenticateAPIKey.isMeant(by: token.credential) {
        return try await here.client(ofAPIKey: token.credential)
      }
      return here.client(ofToken: token.credential)
    }
    for token in call.arcGISTokens {
      if let client = here.client(ofToken: token) { return client }
      if AuthenticateAPIKey.isMeant(by: token) { return try await here.client(ofAPIKey: token) }
    }
    guard let form = try? call.form(repeatable: TokenExchange.repeatable),
      let credentials = try? ClientCredentials(call.request, form)
    else { return nil }
    return credentials.presented.id.flatMap(ClientID.init)
  }

  private func open(_ response: inout Response, to origin: String) {
    set("access-control-allow-origin", origin, in: &response)
    response.headers.add("vary", "Origin")
  }

  private func set(_ name: FieldName, _ value: String, in response: inout Response) {
    if let value = FieldValue(value) { response.headers.set(name, value) }
  }

  /// Whether a page may set the field: it is a name, and none that speaks of the way here.
  private static func isOrdinary(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64 && name != "cookie" && !name.hasPrefix("x-forwarded")
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }
}
