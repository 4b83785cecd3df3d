import Domain
import Flows
import HTTP
import Pages

/// How long a connection keeps at most what people connect.
struct KeepingEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    let typed = (posted["kept_days"] ?? "").trimmed
    let days = Int64(typed)
    do {
      guard typed.isEmpty || days != nil else {
        throw Refusal(.invalidRequest, "Enter a whole number, or leave it empty.")
      }
      try await LimitKeeping(admin.here)(days, of: id, by: call.id, call.visitor)
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      var form = ConnectionEndpoint.form()
      form.fill("kept_days", with: typed)
      form.refuse("kept_days", Words(refusal.description))
      return try await ConnectionEndpoint(admin).page(form, call, status: 422)
    }
    return try admin.desk.redirect(to: ConnectionEndpoint.path(id))
  }
}
