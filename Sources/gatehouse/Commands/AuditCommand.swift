import Domain
import Flows
import JSON

/// `gatehouse audit …`.
struct AuditCommand {
  let here: Installation

  func run(_ arguments: inout Arguments) async throws -> CommandResult {
    let action = try arguments.word("what to do: verify")
    let isJSON = arguments.flag("--json")
    try arguments.finish()
    guard action == "verify" else { throw Arguments.Failure("audit verify.") }
    try await LinkAudit(here)()
    let report = try await VerifyAudit(here)()
    let verdict =
      report.firstBroken.map { "broken at batch \($0): rows were changed, removed or added afterwards" } ?? "intact"
    var answer: CommandResult =
      isJSON
      ? .json([
        "rows": .integer(report.rows), "batches": .integer(report.batches), "unlinked": .integer(report.unlinkedRows),
        "first_broken_batch": report.firstBroken.map(JSONValue.integer) ?? .null,
      ])
      : CommandResult(
        output:
          "The audit log is \(verdict): \(report.rows) rows in \(report.batches) batches, \(report.unlinkedRows) not linked yet."
      )
    answer.exitCode = report.firstBroken == nil ? 0 : 1
    return answer
  }
}
