import Flows
import HTTP
import Pages

/// The audit log, newest first.
struct AuditEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let log = try await admin.here.auditLog(after: call.call.query()["after"])
    return try admin.render(
      .adminAudit, ["events": .list(log.entries.map(\.slots)), "pager": log.pager], call)
  }
}

extension ListPage {
  /// The links to further pages; none when the list fits on one.
  var pager: PageContext {
    guard isPart else { return .none }
    let last = skipped + Int64(entries.count)
    let shown = entries.isEmpty ? "None of \(total)" : "\(skipped + 1) to \(last) of \(max(total, last))"
    return ["shown": .text(shown), "later": .flag(skipped > 0), "next": .text(ifAny: next)]
  }
}
