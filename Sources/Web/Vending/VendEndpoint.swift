import Domain
import Flows
import HTTP

/// Hands out what an app needs to call a URL, by one GET.
struct VendEndpoint: Sendable {
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
    let target = try VendTarget(call.query(repeatable: ["resource"]))
    let request = VendRequest(
      client: caller.client, account: caller.account, resource: target.resource,
      minimumLifetime: target.minimumLifetime)
    do {
      return VendAnswer.response(try await VendToken(here)(request, with: caller, call.visitor), here)
    } catch let refusal as Refusal where refusal != .endedToken {
      return errors.json(refusal, call, subject: caller)
    }
  }
}
