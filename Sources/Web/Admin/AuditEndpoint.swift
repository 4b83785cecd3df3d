import Flows
import HTTP
import Pages

/// The audit log, newest first, as far as a filter means it.
struct AuditEndpoint: Sendable {
  private static let path = "/admin/audit"
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let query = try call.call.query()
    let form = try await AuditFilterForm(query, admin.here)
    var slots: PageContext.Object = ["filtered": .flag(form.isFiltered), "events": [], "pager": .none]
    if !form.page.isRefused {
      let log = try await admin.here.auditLog(form.filter, after: query["after"])
      slots["events"] = .list(log.entries.map(\.slots))
      slots["pager"] = admin.pager(of: log, at: Self.path, form.query)
    }
    return try admin.render(
      .adminAudit, form.page.slots.merging(slots), call, status: form.page.isRefused ? 422 : .ok)
  }
}
