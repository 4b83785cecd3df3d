import Domain
import Flows
import JSON

/// `gatehouse connection keep`.
enum KeepingArguments {
  private static let days = Option("--days", "DAYS", "The longest time, counted from the day it was connected.")
  private static let unlimited = Option(switch: "--no-limit", "As long as each person wishes.")

  static let command = Command(
    name: "connection keep",
    summary: "Set how long what people connect is kept at most, also what is connected already.",
    operand: Operand(name: "ID", meaning: Connection.idRule), options: [days, unlimited, .json],
    action: .installation { here, arguments in
      guard let id = ConnectionID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
      }
      let limit = try arguments.values(of: days, "a number of days, 1 to \(Keeping.longestDays.upperBound)") {
        Int64($0).flatMap { Keeping.longestDays.contains($0) ? $0 : nil }
      }.first
      guard (limit == nil) == arguments.has(unlimited) else { throw UsageFailure("Give --days or --no-limit.") }
      try await LimitKeeping(here)(limit, of: id, by: nil, .commandLine)
      if arguments.has(.json) {
        return .json(["id": .string(id.text), "kept_days": limit.map { .integer($0) } ?? .null])
      }
      let words = limit.map { "kept \($0) days at most; what is over that is disconnected within a minute" }
      return CommandResult(output: "\(id): \(words ?? "kept as long as each person wishes")")
    })
}
