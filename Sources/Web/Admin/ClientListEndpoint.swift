import Domain
import Flows
import HTTP
import Pages
import Storage

/// The clients, by name.
struct ClientListEndpoint: Sendable {
  static let path = "/admin/clients"
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let list = try await admin.here.clients(after: call.call.query()["after"])
    let slots: PageContext.Object = [
      "deleted_name": .text(ifAny: try admin.text(of: .deleted, at: Self.path, call)),
      "clients": .list(
        list.entries.map { .object($0.slots.merging(["connections": .number(Int64($0.client.permissions.count))])) }),
      "pager": admin.pager(of: list, at: Self.path),
    ]
    return try admin.render(.adminClients, slots, call)
  }
}

extension ClientEntry {
  /// `id`, `name`, `confidential`, `unchecked`, `state` and `last_use`.
  var slots: PageContext.Object {
    [
      "id": .text(client.id.text), "name": .text(client.name), "confidential": .flag(client.kind == .confidential),
      "state": .choice(state), "last_use": .time(ifAny: lastUse?.seconds), "unchecked": .flag(!client.isTrusted),
    ]
  }

  private var state: BadgeState {
    if client.isDisabled { return .disabled }
    return lastUse == nil ? .unused : .active
  }
}
