import Domain
import Flows
import HTTP
import JSON

/// Tells an app what a URL demands, `POST /v1/probe`.
struct ProbeEndpoint: Sendable {
  private let here: Installation
  private let bearer: BearerCaller

  init(_ here: Installation) {
    self.here = here
    bearer = BearerCaller(here)
  }

  func answer(_ call: Call) async throws -> Response {
    switch try await bearer(call) {
    case .challenge(let response): return response
    case .caller(let caller):
      let report = try await ProbeURL(here)(try url(in: call.request), for: caller)
      return .json(.ok, report.json.encoded())
    }
  }

  private func url(in request: Request) throws(Refusal) -> ResourceURL {
    guard request.headers.contentType?.isJSON == true else {
      throw Refusal(.invalidRequest, "Send the URL as application/json: {\"url\": \"https://…\"}.")
    }
    let body: JSONValue
    do { body = try JSONValue(parsing: request.body) } catch {
      throw Refusal(.invalidRequest, "The body is no JSON: \(error).")
    }
    guard let text = body.string("url") else {
      throw Refusal(.invalidRequest, "The member url is missing: the URL to probe.")
    }
    guard let url = ResourceURL(text) else {
      throw Refusal(.invalidTarget, "url is no plain http or https URL without fragment and user info.")
    }
    return url
  }
}
