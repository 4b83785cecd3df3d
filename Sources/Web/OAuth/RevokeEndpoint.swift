import Domain
import Flows
import HTTP

/// Revokes a token at its client's wish (RFC 7009).
struct RevokeEndpoint: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  /// Empty and 200 also for a token that nobody knows; `token_type_hint` is not needed to find one.
  func answer(_ call: Call) async throws -> Response {
    let posted = try await ClientForm(call, here)
    try await RevokeToken(here)(Secret(posted.required("token")), posted.client, call.visitor)
    return Response(status: .ok, headers: ["cache-control": "no-store"])
  }
}
