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
    if let use = call.request.headers["sec-fetch-dest"], ForeignAnswer.refusedUses.contains(use) {
      throw Refusal(.invalidRequest, "A browser does not open this as a \(use).")
    }
    do {
      let answer = try await ForwardRequest(here)(
        call.request, to: try target(of: call), for: caller, call.visitor)
      return try await response(answer, to: call.request.method, for: caller.key)
    } catch let refusal as Refusal where refusal != .endedToken {
      return errors.json(refusal, call, subject: caller)
    }
  }

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

  /// The answer, unless it is longer than an API key gets; what the upstream was shown is not for a key.
  private func response(
    _ answer: ForwardRequest.Answer, to method: HTTP.Method, for key: ClientAPIKey?
  ) async throws(Refusal) -> Response {
    var response = Response(status: answer.status, headers: answer.headers)
    let hasBody = method != .head && answer.status != .noContent && answer.status != .notModified
    let longest = hasBody ? key?.scope.longestAnswer : nil
    let foreign = try await ForeignAnswer(answer, within: longest, masksEchoes: key != nil)
    for field in answer.headers.fields where foreign.isEcho(field) { response.headers.remove(field.name) }
    ForeignAnswer.dress(&response)
    if hasBody { response.body = foreign.body }
    return response
  }
}
