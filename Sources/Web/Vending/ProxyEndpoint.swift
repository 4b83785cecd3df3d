import Domain
import Flows
import HTTP

/// Calls a URL with the person's credential, and hands the answer through.
struct ProxyEndpoint: Sendable {
  private let here: Installation
  private let errors: ErrorAnswers
  private let bearer: BearerCaller

  init(_ here: Installation) {
    self.here = here
    errors = ErrorAnswers(here)
    bearer = BearerCaller(here)
  }

  func answer(_ call: Call) async throws -> Response {
    let caller: AccessTokenClaims
    switch try bearer(call) {
    case .challenge(let response): return response
    case .caller(let claims): caller = claims
    }
    if let use = call.request.headers["sec-fetch-dest"], Self.refusedUses.contains(use) {
      throw Refusal(.invalidRequest, "A browser does not open this as a \(use).")
    }
    do {
      let answer = try await ForwardRequest(here)(
        call.request, to: try target(of: call), for: caller, call.visitor)
      return try await response(answer, to: call.request.method)
    } catch let refusal as Refusal where refusal != .endedToken {
      return errors.json(refusal, call, subject: caller)
    }
  }

  /// Nothing that comes from elsewhere may act as a document or program of ours.
  private static let refusedUses: Set<String> = [
    "document", "iframe", "frame", "embed", "object", "script", "serviceworker", "worker", "sharedworker",
  ]

  /// The path as it was sent: its escapes are the upstream's to decode.
  private func target(of call: Call) throws -> ForwardRequest.Target {
    let connection = try call.connectionID()
    let path = call.request.target.prefix { $0 != "?" }
    let start = Connection.proxyRoot + connection.text
    guard let range = path.firstRange(of: start) else {
      throw Refusal(.notFound, "There is no connection of this name.")
    }
    return ForwardRequest.Target(
      connection: connection, path: path[range.upperBound...], query: call.request.query)
  }

  private func response(_ answer: ForwardRequest.Answer, to method: HTTP.Method) async throws(Refusal) -> Response {
    var response = Response(status: answer.status, headers: answer.headers)
    dress(&response)
    let hasBody = method != .head && answer.status != .noContent && answer.status != .notModified
    guard hasBody else { return response }
    // Nothing is sent before the first piece anyway, and until then a failure can still be told.
    let first: [UInt8]?
    do { first = try await answer.body.read() } catch { throw Self.brokenOff }
    response.body = .stream(length: answer.length) { writer in
      guard let first else { return }
      try await writer.write(first)
      while let piece = try await answer.body.read() { try await writer.write(piece) }
    }
    return response
  }

  private static let brokenOff = Refusal(
    .upstreamError, "The upstream broke off its answer. The request may have taken effect.")

  /// What keeps a foreign body on our origin from doing harm there.
  private func dress(_ response: inout Response) {
    response.headers.set("via", "1.1 gatehouse")
    response.headers.set("content-security-policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
    response.headers.set("cache-control", "private, no-store")
    let isAttached = response.headers["content-disposition"]?.lowercased().hasPrefix("attachment") ?? false
    if !isAttached && !isData(response.headers) { response.headers.set("content-disposition", "attachment") }
  }

  /// Whether no browser takes the body for more than it is: JSON, protocol buffers or an image.
  private func isData(_ headers: Headers) -> Bool {
    let type = (headers["content-type"] ?? "").lowercased().prefix { $0 != ";" && $0 != " " }
    return type.hasPrefix("image/") || type.hasSuffix("+json")
      || ["application/json", "application/x-protobuf", "application/vnd.mapbox-vector-tile"].contains(String(type))
  }
}
