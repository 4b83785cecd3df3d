import Domain
import Flows
import HTTP
import JSON

/// Tells an app about the person who signed in to it (OpenID Connect Core §5.3).
struct UserInfoEndpoint: Sendable {
  private let here: Installation
  private let caller: BearerCaller

  init(_ here: Installation) {
    self.here = here
    caller = BearerCaller(here)
  }

  func answer(_ call: Call) async throws -> Response {
    switch try caller.anyToken(call) {
    case .challenge(let response): return response
    case .caller(let token):
      guard !Self.holdsToken(call.request) else {
        throw Refusal(.invalidRequest, "Send one access token, in the Authorization header.")
      }
      switch try await ReadUserInfo(here)(token) {
      case .claims(let claims):
        return .json(
          .ok, JSONWriter.object { json in for (name, value) in claims { json.member(name, value) } })
      case .signed(let token):
        return Response(status: .ok, headers: ["content-type": "application/jwt"], body: .bytes(token.revealed))
      }
    }
  }

  /// Whether a form brings a second token (RFC 6750 §2); alone it counts as none, since only the header is read.
  private static func holdsToken(_ request: Request) -> Bool {
    guard request.headers.contentType?.isForm == true, let form = try? Form(request.body) else { return false }
    return form.fields.contains { $0.name == "access_token" }
  }
}
