import Domain
import Flows
import HTTP
import JSON

/// Tells an app about the person who signed in to it (OpenID Connect Core §5.3).
struct UserInfoEndpoint: Sendable {
  private let here: Installation
  private let caller: BearerCaller
  private let repeated: RepeatedAnswers

  init(_ here: Installation) {
    self.here = here
    caller = BearerCaller(here)
    repeated = RepeatedAnswers(here)
  }

  func answer(_ call: Call) async throws -> Response {
    let question = question(call.request)
    if let question, let known = repeated.answer(to: question) { return .json(.ok, known) }
    let moment = repeated.moment()
    switch try await caller.anyToken(call) {
    case .challenge(let response): return response
    case .caller(let token):
      guard !Self.holdsToken(call.request) else {
        throw Refusal(.invalidRequest, "Send one access token, in the Authorization header.")
      }
      switch try await ReadUserInfo(here)(token) {
      case .claims(let claims):
        let body = JSONWriter.object { json in for (name, value) in claims { json.member(name, value) } }
        if let question { repeated.keep(body, to: question, about: token, since: moment) }
        return .json(.ok, body)
      case .signed(let token):
        return Response(status: .ok, headers: ["content-type": "application/jwt"], body: .bytes(token.revealed))
      }
    }
  }

  /// What a request is known by that has one token to show and nothing else.
  private func question(_ request: Request) -> RepeatedAnswers.Question? {
    guard request.body.isEmpty, request.query.isEmpty, let token = request.headers.single("authorization") else {
      return nil
    }
    return repeated.question([token])
  }

  /// Whether a form brings a second token (RFC 6750 §2); alone it counts as none, since only the header is read.
  private static func holdsToken(_ request: Request) -> Bool {
    guard request.headers.contentType?.isForm == true, let form = try? Form(request.body) else { return false }
    return form.fields.contains { $0.name == "access_token" }
  }
}
