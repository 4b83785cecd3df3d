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
    var parameters = AuthorizeEndpoint.parameters(posted.form)
    try await bind(&parameters, call, posted.client)
    let uri = try await PushAuthorization(here)(parameters, by: posted.client)
    return .json(
      .created,
      JSONWriter.object { json in
        json.member("request_uri", uri)
        json.member("expires_in", AuthorizationRequest.pushedLifetime)
      })
  }

  /// A proof beside the request binds its code to the key, as `dpop_jkt` does (RFC 9449 §10.1).
  private func bind(
    _ parameters: inout BeginAuthorization.Parameters, _ call: Call, _ client: Client
  ) async throws {
    guard let key = try await SenderKey(here).pushedKey(call, for: client) else { return }
    guard parameters.dpopKey.map({ $0 == key }) ?? true else {
      throw Refusal(.invalidDPoPProof, "dpop_jkt names another key than the proof.")
    }
    parameters.dpopKey = key
  }
}
