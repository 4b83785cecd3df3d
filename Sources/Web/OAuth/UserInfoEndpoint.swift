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
      switch try await ReadUserInfo(here)(token) {
      case .claims(let claims):
        return .json(
          .ok, JSONWriter.object { json in for (name, value) in claims { json.member(name, value) } })
      case .signed(let token):
        return Response(status: .ok, headers: ["content-type": "application/jwt"], body: .bytes(token.revealed))
      }
    }
  }
}
