import Domain
import Flows
import HTTP
import Pages
import Storage

/// Registers a client; the page that follows shows its secret, once.
struct NewClientEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let connections = try await connections()
    return try page(ClientDraftForm(offering: connections), connections, call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    var form = ClientDraftForm(posted)
    guard !form.page.isRefused else { return try page(form, try await connections(), call, status: 422) }
    do {
      let (client, secret) = try await CreateClient(admin.here)(form.draft, by: call.id, call.visitor)
      return try ClientSecretPage(admin).redirect(to: client, secret, .registered, call)
    } catch let refusal as Refusal {
      // What was typed is in order; so the name is taken, or a connection has been deleted meanwhile.
      form.refuse(
        refusal == CreateClient.nameTaken(form.draft.name) ? "name" : "connection", refusal.description)
      return try page(form, try await connections(), call, status: 422)
    }
  }

  private func connections() async throws -> [Connection] {
    try await admin.here.store.read { try $0.connections() }
  }

  private func page(
    _ form: ClientDraftForm, _ connections: [Connection], _ call: AdminCall, status: Status = .ok
  ) throws -> Response {
    try admin.render(.adminClientNew, form.slots(connections), call, status: status)
  }
}
