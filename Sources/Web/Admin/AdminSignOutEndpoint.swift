import Flows
import HTTP

/// Leaves the administration: its own session ends, and nothing else.
struct AdminSignOutEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func post(_ call: AdminCall) async throws -> Response {
    try await admin.here.endSession(call.administrator, call.visitor)
    var response = try admin.desk.redirect(to: "/")
    response.headers.add(try admin.desk.cookies.clearing(.administration))
    return response
  }
}
