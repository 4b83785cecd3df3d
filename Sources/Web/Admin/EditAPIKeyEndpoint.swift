import Domain
import Flows
import HTTP
import Pages
import Storage

/// Changes what an API key of a client is for.
struct EditAPIKeyEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let key = try await key(call)
    return try await page(APIKeyForm(key), key, call)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let key = try await key(call)
    var form = APIKeyForm(edited: posted)
    guard let edit = form.edit else { return try await page(form, key, call, status: 422) }
    do {
      try await EditAPIKey(admin.here)(key.id, by: call.id, call.visitor) { _ in edit }
      return try admin.desk.redirect(to: APIKeysEndpoint.path(key.client))
    } catch let invalid as InvalidAPIKey {
      form.refuse(invalid.objections)
      return try await page(form, key, call, status: 422)
    }
  }

  /// The key that the path names, if it is the client's.
  private func key(_ call: AdminCall) async throws -> ClientAPIKey {
    let client = try call.clientID()
    guard let id = call.call.segments["key"].flatMap(APIKeyID.init),
      let key = try await admin.here.store.read({ try $0.apiKey(id) }), key.client == client
    else { throw Refusal(.notFound, "This client has no API key of this id.") }
    guard key.revokedAt == nil else {
      throw Refusal(.notFound, "The key was revoked before, and cannot be changed any more.")
    }
    return key
  }

  private func page(
    _ form: APIKeyForm, _ key: ClientAPIKey, _ call: AdminCall, status: Status = .ok
  ) async throws -> Response {
    let (client, connections) = try await admin.here.store.read { tx in
      (try tx.client(key.client), try tx.connections())
    }
    guard let client else { throw Refusal(.notFound, "There is no client called \(key.client).") }
    // Also what it may use no more, so that it can be taken from the key.
    let listed = connections.filter { connection in
      form.chosen.contains(connection.id.text)
        || connection.kind.isServiceOwned && client.permission(for: connection.id) != nil
    }
    let slots: PageContext.Object = [
      "id": .text(client.id.text), "name": .text(client.name), "key": .text(key.id.text), "key_name": .text(key.name),
      "publishable": .flag(key.kind == .publishable),
      "connections": .list(
        listed.map { .object($0.slots.merging(["allowed": .flag(form.chosen.contains($0.id.text))])) }),
    ]
    return try admin.render(.adminClientKeyEdit, form.page.slots.merging(slots), call, status: status)
  }
}
