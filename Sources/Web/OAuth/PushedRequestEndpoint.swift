import Domain
import Flows
import HTTP
import JSON

/// Where a client leaves an authorization request before it sends a browser (RFC 9126 §2).
struct PushedRequestEndpoint: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  func answer(_ call: Call) async throws -> Response {
    try here.countBeginning(by: call.visitor)
    let posted = try await ClientForm(call, here)
    guard posted.form.nonEmpty("request_uri") == nil else {
      throw Refusal(.invalidRequest, "A pushed request holds its parameters, not a request_uri.")
    }
    let uri = try await PushAuthorization(here)(AuthorizeEndpoint.parameters(posted.form), by: posted.client)
    return .json(
      .created,
      JSONWriter.object { json in
        json.member("request_uri", uri)
        json.member("expires_in", AuthorizationRequest.pushedLifetime)
      })
  }
}
