import Flows
import HTTP
import Pages
import Storage

/// The connections, by name.
struct ConnectionListEndpoint: Sendable {
  static let path = "/admin/connections"
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let entries = try await admin.here.connectionEntries()
    let slots: PageContext.Object = [
      "deleted_name": .text(ifAny: try admin.text(of: .deleted, at: Self.path, call)),
      "connections": .list(
        entries.map { .object($0.slots.merging(["credentials": .number($0.health.total)])) }),
    ]
    return try admin.render(.adminConnections, slots, call)
  }
}
