import Domain
import Flows
import HTTP
import Pages
import Storage

/// What an administrator wants to see of the audit log or the ledger, as the address of the page says it.
struct AuditFilterForm: Sendable {
  private(set) var page = PageForm()
  private(set) var filter = AuditFilter()
  /// The fields that are set, for links to further pages.
  private(set) var query = QueryItems()

  var isFiltered: Bool { !query.body.isEmpty }

  private static let texts = ["account", "client", "connection", "from", "until"]

  /// Every kind of event.
  init(_ posted: Form, _ here: Installation) async throws {
    let (kind, isRefused) = (Self.text("kind", posted), Self.text("refused", posted) == "1")
    try await read(["kind", "refused"], posted, here)
    page.choose("kind", from: AuditKind.allCases.map(\.rawValue), chosen: [kind])
    page.choose("refused", from: ["on"], chosen: isRefused ? ["on"] : [])
    filter.names = AuditKind(rawValue: kind)?.names ?? []
    if !kind.isEmpty, filter.names.isEmpty { page.refuse("kind", "There is no such kind of event.") }
    filter.failuresOnly = isRefused
  }

  /// Vends alone.
  init(ofVends posted: Form, _ here: Installation) async throws {
    let outcome = Self.text("outcome", posted)
    try await read(["outcome"], posted, here)
    page.choose("outcome", from: LedgerOutcome.allCases.map(\.rawValue), chosen: [outcome])
    filter.names = LedgerOutcome(rawValue: outcome)?.names ?? []
    if !outcome.isEmpty, filter.names.isEmpty { page.refuse("outcome", "Choose one of the outcomes.") }
  }

  private static func text(_ name: String, _ posted: Form) -> String { (posted[name] ?? "").trimmed }

  /// Reads what both have in common, and keeps the `choices` for further pages, too.
  private mutating func read(_ choices: [String], _ posted: Form, _ here: Installation) async throws {
    func text(_ name: String) -> String { Self.text(name, posted) }
    for name in choices + Self.texts where !text(name).isEmpty { query.append(name, text(name)) }
    for name in Self.texts { page.fill(name, with: text(name)) }
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
