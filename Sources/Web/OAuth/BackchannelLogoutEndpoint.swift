import Domain
import Flows
import HTTP

/// Where OpenID providers tell us that somebody has signed out there (OpenID Connect Back-Channel Logout §2.5).
struct BackchannelLogoutEndpoint: Sendable {
  private let end: EndUpstreamSession

  init(_ here: Installation) { end = EndUpstreamSession(here) }

  /// The path of a connection, or of any with the route's variable.
  static func path(_ connection: String) -> String { "/backchannel-logout/\(connection)" }

  /// Empty and 200 also when nobody was signed in any more.
  func post(_ call: Call) async throws -> Response {
    guard let token = try call.form().nonEmpty("logout_token") else {
      throw Refusal(.invalidRequest, "The parameter logout_token is missing.")
    }
    try await end(token, at: call.connectionID(), call.visitor)
    return Response(status: .ok, headers: ["cache-control": "no-store"])
  }
}
