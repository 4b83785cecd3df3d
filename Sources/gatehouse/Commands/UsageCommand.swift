import Domain
import Flows
import JSON
import Storage

/// `gatehouse usage`.
enum UsageCommand {
  private static let by = Option(
    "--by", "WHAT", "Told apart by client, key, connection, resource or account; by client unless you say otherwise.")
  private static let days = Option(
    "--days", "DAYS", "The last so many days in UTC with today, 1 to 365; 30 unless you say otherwise.")
  private static let client = Option("--client", "NAME", "Only of this app: its name or id.")
  private static let key = Option("--key", "NAME", "Only by this API key: its name or id.")
  private static let connection = Option("--connection", "NAME", "Only of this connection: its name or id.")
  private static let account = Option(
    "--account", "NAME", "Only what this account is charged: a name, user name or id.")
  private static let resource = Option(
    "--resource", "PREFIX", "Only of this resource or those below it, such as https://maps.example.org/server.")
  private static let csv = Option(switch: "--csv", "Answer as CSV, with a line for each day.")

  private static let fields: [(Option, UsageQuestion.Field)] = [
    (client, .client), (key, .key), (connection, .connection), (account, .account), (resource, .resource),
  ]

  static let command = Command(
    name: "usage", summary: "Say how much was taken and refused, by whom or by what, and when.",
    options: [by, days] + fields.map(\.0) + [csv, .json],
    action: .installation { here, arguments in
      if arguments.has(csv), arguments.has(.json) { throw UsageFailure("--csv and --json exclude each other.") }
      var question = UsageQuestion()
      let names = UsageDimension.allCases.map(\.rawValue)
      question.dimension =
        try arguments.values(of: by, Spelling.list(names), UsageDimension.init(rawValue:)).first
        ?? question.dimension
      question.dayCount =
        try arguments.values(of: days, "a whole number of days from 1 to 365") {
          Int64($0).flatMap { UsageReport.span.contains($0) ? $0 : nil }
        }.first ?? question.dayCount
      for (option, field) in fields { question.texts[field] = arguments.value(of: option) }
      let (filter, unknown) = try await here.filter(of: question)
      if let field = unknown.first, let option = fields.first(where: { $0.1 == field })?.0 {
        throw Refusal(.notFound, "Nothing is called \(question.texts[field] ?? "") (\(option.name)).")
      }
      let report = try await here.usage(by: question.dimension, filter)
      if arguments.has(csv) { return CommandResult(output: report.csv.lines) }
      return arguments.has(.json) ? .json(report.json) : CommandResult(output: report.text)
    })
}

extension String {
  /// As a terminal and its tools want them.
  fileprivate var lines: String { split(separator: "\r\n").joined(separator: "\n") }
}

extension UsageReport {
  fileprivate var text: String {
    guard !entries.isEmpty else { return "Nothing." }
    let listed = entries + (others.map { [$0] } ?? [])
    let rows = listed.map { entry in
      [
        entry.name, entry.subject == entry.name ? "" : entry.subject, "\(entry.total.calls)",
        "\(entry.total.refusals)", lastDay(of: entry),
      ]
    }
    return TextTable.lines([["NAME", "ID", "CALLS", "REFUSED", "LAST DAY"]] + rows)
  }

  private func lastDay(of entry: Entry) -> String {
    let last = entry.days.lastIndex { $0 != UsageCount() }
    return last.map { Timestamp.text(ofDay: days.lowerBound + Int64($0)) } ?? ""
  }
}
