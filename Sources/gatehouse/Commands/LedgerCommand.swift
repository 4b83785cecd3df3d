import Domain
import Flows
import JSON
import Storage

/// `gatehouse ledger`.
enum LedgerCommand {
  private static let client = Option("--client", "NAME", "Only of this app: its name or id.")
  private static let user = Option("--user", "NAME", "Only for this person: a name, user name or id.")
  private static let connection = Option("--connection", "NAME", "Only of this connection: its name or id.")
  private static let outcome = Option("--outcome", "OUTCOME", "Only granted or refused ones.")
  private static let since = Option("--since", "DAY", "Not before this day in UTC, such as 2026-11-21.")
  private static let after = Option("--after", "CURSOR", "The page behind the one that ended with this cursor.")

  static let command = Command(
    name: "ledger", summary: "List which app took what, for which URL, when, the newest first.",
    options: [client, user, connection, outcome, since, after, .json],
    action: .installation { here, arguments in
      let page = try await here.ledger(try await filter(arguments, here), after: arguments.value(of: after))
      return arguments.has(.json) ? .json(page.json) : CommandResult(output: page.text)
    })

  private static func filter(_ arguments: Arguments, _ here: Installation) async throws -> AuditFilter {
    var filter = AuditFilter()
    let outcomes = try arguments.values(of: outcome, "granted or refused") { LedgerOutcome(rawValue: $0) }
    filter.names = outcomes.first?.names ?? []
    filter.from = try arguments.values(of: since, "a day such as 2026-11-21") { Timestamp(day: $0) }.first
    let named = AuditFilter.Names(
      account: arguments.value(of: user) ?? "", client: arguments.value(of: client) ?? "",
      connection: arguments.value(of: connection) ?? "")
    try await here.resolve(named, into: &filter)
    let unknown = [
      (user, named.account, filter.accounts.isEmpty), (client, named.client, filter.clients.isEmpty),
      (connection, named.connection, filter.connections.isEmpty),
    ].first { !$0.1.isEmpty && $0.2 }
    if let (option, name, _) = unknown { throw Refusal(.notFound, "Nothing is called \(name) (\(option.name)).") }
    return filter
  }
}

extension LedgerPage {
  fileprivate var text: String {
    if entries.isEmpty, next == nil { return "Nothing." }
    let rows = entries.map { entry in
      [
        .moment(entry.event.at), entry.event.outcome == .success ? "granted" : "refused", entry.entry.client ?? "-",
        entry.entry.account ?? "-", entry.event.connection?.text ?? "-", entry.event.resource ?? "-",
        entry.event.detail ?? "",
      ]
    }
    let more = next.map { "\n\nOlder ones: --after \($0)" } ?? ""
    return TextTable.lines(rows) + more
  }

  fileprivate var json: JSONValue {
    ["entries": .array(entries.map(\.json)), "next": next.map(JSONValue.string) ?? .null]
  }
}

extension LedgerEntry {
  fileprivate var json: JSONValue {
    [
      "at": .integer(event.at.seconds), "granted": .bool(event.outcome == .success),
      "client_id": event.client.map { .string($0.text) } ?? .null,
      "client": entry.client.map(JSONValue.string) ?? .null,
      "account_id": event.account.map { .string($0.text) } ?? .null,
      "account": entry.account.map(JSONValue.string) ?? .null,
      "connection": event.connection.map { .string($0.text) } ?? .null,
      "resource": event.resource.map(JSONValue.string) ?? .null, "method": detail.method.map(JSONValue.string) ?? .null,
      "seconds": detail.seconds.map(JSONValue.integer) ?? .null,
      "error": detail.refusal.map { .string($0.rawValue) } ?? .null,
      "reason": detail.reason.map(JSONValue.string) ?? .null,
      "unattended": detail.job.map(JSONValue.string) ?? .null,
    ]
  }
}
