import Domain
import Flows
import HTTP
import Pages
import Storage

/// Changes what a connection was made with, but for what the credentials of people rest on.
struct EditConnectionEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let connection = try await connection(call)
    return try page(EditConnectionForm(connection), connection, call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let before = try await connection(call)
    var form = EditConnectionForm(posted, changing: before)
    guard !form.page.isRefused else { return try page(form, before, call, status: 422) }
    do {
      let draft = form.draft
      try await EditConnection(admin.here)(
        before.id, clientSecret: form.clientSecret, by: call.id, call.visitor
      ) { $0 = draft }
      return try admin.redirect(to: ConnectionEndpoint.path(before.id), .changed, before.id.text)
    } catch let refusal as Refusal where refusal.code != .notFound {
      // What was typed is in order; so another has the name.
      form.refuse("name", refusal.description)
      return try page(form, before, call, status: 422)
    }
  }

  private func connection(_ call: AdminCall) async throws -> Connection {
    let id = try call.call.connectionID()
    guard let connection = try await admin.here.store.read({ try $0.connection(id) }) else {
      throw Refusal(.notFound, "There is no connection called \(id).")
    }
    return connection
  }

  private func page(
    _ form: EditConnectionForm, _ connection: Connection, _ call: AdminCall, status: Status = .ok
  ) throws -> Response {
    let kind = connection.kind
    let slots: PageContext.Object = [
      "id": .text(connection.id.text), "shown_name": .text(connection.name),
      "has_secret": .flag(connection.hasClientSecret), "in_browser": .flag(kind.connectsInBrowser),
      "has_scopes": .flag(kind == .oidc), "at_portal": .flag(kind.isPortal), "by_oauth": .flag(kind == .oauthUser),
      "by_token": .flag(kind == .token || kind == .oauthApplication),
    ]
    return try admin.render(.adminConnectionEdit, form.page.slots.merging(slots), call, status: status)
  }
}
