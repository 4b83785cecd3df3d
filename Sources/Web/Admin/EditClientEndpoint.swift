import Domain
import Flows
import HTTP
import Pages
import Storage

/// Changes what a client was registered with, and takes an app that registered itself for a known one.
struct EditClientEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let client = try await client(call)
    return try await page(ClientDraftForm(client), client, call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let before = try await client(call)
    var form = ClientDraftForm(posted, kind: before.kind)
    guard !form.page.isRefused else { return try await page(form, before, call, status: 422) }
    do {
      let (client, secret) = try await EditClient(admin.here)(form.draft, of: before.id, by: call.id, call.visitor)
      if let secret { return try ClientSecretPage(admin).redirect(to: client, secret, .rotated, call) }
      return try admin.redirect(to: "\(ClientListEndpoint.path)/\(client.id)", .changed, client.name)
    } catch let refusal as Refusal where refusal.code != .notFound {
      form.refuse(refusal == CreateClient.nameTaken(form.draft.name) ? "name" : "connection", refusal.description)
      return try await page(form, before, call, status: 422)
    }
  }

  func trust(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.clientID()
    try await EditClient(admin.here).trust(id, as: posted["shown"] ?? "", by: call.id, call.visitor)
    return try admin.desk.redirect(to: "\(ClientListEndpoint.path)/\(id)")
  }

  private func client(_ call: AdminCall) async throws -> Client {
    let id = try call.clientID()
    guard let client = try await admin.here.store.read({ try $0.client(id) }) else {
      throw Refusal(.notFound, "There is no client called \(id).")
    }
    return client
  }

  private func page(
    _ form: ClientDraftForm, _ client: Client, _ call: AdminCall, status: Status = .ok
  ) async throws -> Response {
    let connections = try await admin.here.store.read { try $0.connections() }
    let slots: PageContext.Object = [
      "id": .text(client.id.text), "registered_name": .text(client.name),
      "is_public": .flag(client.kind == .public), "unchecked": .flag(!client.isTrusted),
    ]
    return try admin.render(.adminClientEdit, form.slots(connections).merging(slots), call, status: status)
  }
}
