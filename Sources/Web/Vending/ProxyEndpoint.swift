import Domain
import Flows
import HTTP

/// Calls a URL with the person's credential, and hands the answer through.
struct ProxyEndpoint: Sendable {
  private let here: Installation
  private let errors: ErrorAnswers
  private let app: AppCaller

  init(_ here: Installation) {
    self.here = here
    errors = ErrorAnswers(here)
    app = AppCaller(here)
  }

  func answer(_ call: Call) async throws -> Response {
    let caller: VendCaller
    switch try await app(call) {
    case .challenge(let response): return response
    case .caller(let found): caller = found
    }
    if let use = call.request.headers["sec-fetch-dest"], Self.refusedUses.contains(use) {
      throw Refusal(.invalidRequest, "A browser does not open this as a \(use).")
    }
    do {
      let answer = try await ForwardRequest(here)(
        call.request, to: try target(of: call), for: caller, call.visitor)
      return try await response(answer, to: call.request.method, within: caller.key?.scope.longestAnswer)
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

  /// The answer, unless it is longer than `longest` bytes; one that did not say so before is broken off there.
  private func response(
    _ answer: ForwardRequest.Answer, to method: HTTP.Method, within longest: Int64?
  ) async throws(Refusal) -> Response {
    var response = Response(status: answer.status, headers: answer.headers)
    dress(&response)
    let hasBody = method != .head && answer.status != .noContent && answer.status != .notModified
    guard hasBody else { return response }
    let longest = longest.map { Int(clamping: $0) } ?? .max
    guard answer.length ?? 0 <= longest else { throw Self.tooLong }
    // Nothing is sent before the first piece anyway, and until then a failure can still be told.
    let first: [UInt8]?
    do { first = try await answer.body.read() } catch { throw Self.brokenOff }
    guard first?.count ?? 0 <= longest else { throw Self.tooLong }
    response.body = .stream(length: answer.length) { writer in
      guard let first else { return }
      var room = longest - first.count
      try await writer.write(first)
      while let piece = try await answer.body.read() {
        room -= piece.count
        // An end without the last chunk tells the app that something is missing.
        guard room >= 0 else { throw Self.tooLong }
        try await writer.write(piece)
      }
    }
    return response
  }

  private static let brokenOff = Refusal(
    .upstreamError, "The upstream broke off its answer. The request may have taken effect.")

  private static let tooLong = Refusal(
    .insufficientScope, "The answer is longer than this API key may read. Ask for less of it.")

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
