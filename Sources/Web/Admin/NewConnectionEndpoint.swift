import Domain
import Flows
import HTTP
import Pages

/// Adds a connection; the upstream is asked before anything is stored.
struct NewConnectionEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) throws -> Response { try page(NewConnectionForm(), call) }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    var form = NewConnectionForm(posted, at: admin.here.clock.now())
    guard let draft = form.draft, !form.page.isRefused else { return try page(form, call, status: 422) }
    do {
      let connection = try await CreateConnection(admin.here)(
        draft, clientSecret: form.clientSecret, key: form.key, by: call.id, call.visitor)
      return try admin.redirect(to: ConnectionEndpoint.path(connection.id), .created, connection.id.text)
    } catch let refusal as Refusal {
      // What was typed is in order; so the id or name is taken, or the upstream is not what it should be.
      form.refuse(Self.field(of: refusal, draft), refusal.description)
      return try page(form, call, status: 422)
    }
  }

  private static func field(of refusal: Refusal, _ draft: Connection) -> String {
    switch refusal.code {
    case .upstreamError: draft.originField
    case .invalidClient: draft.kind == .apiKey ? "token" : "client_secret"
    default: refusal == CreateConnection.nameTaken(draft.name) ? "name" : "id"
    }
  }

  private func page(_ form: NewConnectionForm, _ call: AdminCall, status: Status = .ok) throws -> Response {
    let prefix: PageContext.Object = ["callback_prefix": .text("\(admin.here.issuer)/callback/")]
    return try admin.render(.adminConnectionNew, form.page.slots.merging(prefix), call, status: status)
  }
}
