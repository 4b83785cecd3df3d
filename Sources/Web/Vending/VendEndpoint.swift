import Domain
import Flows
import HTTP

/// Hands out what an app needs to call a URL, by one GET.
struct VendEndpoint: Sendable {
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
    let target = try VendTarget(call.query(repeatable: ["resource"]))
    if caller.key?.kind == .publishable { throw Self.publishable }
    let request = caller.request(target.resource, minimumLifetime: target.minimumLifetime)
    do {
      return VendAnswer.response(try await VendToken(here)(request, with: caller.token, call.visitor), here)
    } catch let refusal as Refusal where refusal != .endedToken {
      return errors.json(refusal, call, subject: caller)
    }
  }

  private static let publishable = Refusal(
    .invalidScope, "A publishable key gets no tokens: call the resource through the proxy with it.")
}
