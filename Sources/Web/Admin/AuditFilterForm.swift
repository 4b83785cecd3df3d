import Domain
import Flows
import HTTP
import Pages
import Storage

/// What an administrator wants to see of the audit log, as the address of the page says it.
struct AuditFilterForm: Sendable {
  private(set) var page = PageForm()
  private(set) var filter = AuditFilter()
  /// The fields that are set, for links to further pages.
  private(set) var query = QueryItems()

  var isFiltered: Bool { !query.body.isEmpty }

  private static let texts = ["account", "client", "connection", "from", "until"]

  init(_ posted: Form, _ here: Installation) async throws {
    func text(_ name: String) -> String { (posted[name] ?? "").trimmed }
    for name in ["kind", "refused"] + Self.texts where !text(name).isEmpty { query.append(name, text(name)) }
    for name in Self.texts { page.fill(name, with: text(name)) }
    page.choose("kind", from: AuditKind.allCases.map(\.rawValue), chosen: [text("kind")])
    page.choose("refused", from: ["on"], chosen: text("refused") == "1" ? ["on"] : [])
    filter.names = AuditKind(rawValue: text("kind"))?.names ?? []
    if !text("kind").isEmpty, filter.names.isEmpty { page.refuse("kind", "There is no such kind of event.") }
    filter.failuresOnly = text("refused") == "1"
    filter.from = day(text("from"), "from")
    filter.until = day(text("until"), "until").map { $0 + 24 * 60 * 60 }
    if let from = filter.from, let until = filter.until, from >= until {
      page.refuse("until", "Enter a day that is not before the first one.")
    }
    let names = AuditFilter.Names(account: text("account"), client: text("client"), connection: text("connection"))
    try await here.resolve(names, into: &filter)
    if !names.account.isEmpty, filter.accounts.isEmpty {
      page.refuse("account", "No account has this name, user name or id.")
    }
    if !names.client.isEmpty, filter.clients.isEmpty { page.refuse("client", "No client has this name or id.") }
    if !names.connection.isEmpty, filter.connections.isEmpty {
      page.refuse("connection", "No connection has this name or id.")
    }
  }

  private mutating func day(_ typed: String, _ field: String) -> Timestamp? {
    if typed.isEmpty { return nil }
    if let day = Timestamp(day: typed) { return day }
    page.refuse(field, "Enter a day such as 2026-11-21.")
    return nil
  }
}
