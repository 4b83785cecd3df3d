import Domain
import Flows
import HTTP
import Pages

/// Which app took what, for which URL, newest first, as far as a filter means it.
struct LedgerEndpoint: Sendable {
  private static let path = "/admin/ledger"
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let query = try call.call.query()
    let form = try await AuditFilterForm(ofVends: query, admin.here)
    var slots: PageContext.Object = [
      "filtered": .flag(form.isFiltered), "uses": [], "pager": .none, "further": false,
    ]
    if !form.page.isRefused {
      let page = try await admin.here.ledger(form.filter, after: query["after"])
      let base = admin.desk.external.basePath
      slots["uses"] = .list(page.entries.map { $0.slots(base) })
      slots["pager"] = page.pager(at: base + Self.path, form.query)
      slots["further"] = .flag(page.isCutShort)
    }
    return try admin.render(
      .adminLedger, form.page.slots.merging(slots), call, status: form.page.isRefused ? 422 : .ok)
  }
}

extension LedgerEntry {
  fileprivate func slots(_ base: String) -> PageContext {
    [
      "time": .time(event.at.seconds, exact: true), "client": .text(entry.client ?? ""),
      "client_id": .text(ifAny: event.client?.text), "account": .text(ifAny: entry.account),
      "account_id": .text(ifAny: event.account?.text), "resource": .text(event.resource ?? ""),
      "connection": .text(ifAny: entry.connection), "connection_id": .text(ifAny: event.connection?.text),
      "detail": .text(ifAny: event.detail), "refused": .flag(event.outcome == .failure), "why": why(base),
    ]
  }

  /// The link to what would come of the same question now.
  private func why(_ base: String) -> PageContext {
    guard let client = event.client, let resource = event.resource else { return .none }
    var query: QueryItems = detail.key.map { ["key": $0.text] } ?? ["client": client.text]
    query.append("account", event.account?.text)
    query.append("url", resource)
    if detail.key != nil { query.append("method", detail.method) }
    if detail.job != nil { query.append("unattended_from", event.origin.address) }
    return .url(query.appended(to: "\(base)/admin/why"))
  }
}
