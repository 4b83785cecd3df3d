import Domain
import Flows
import JSON

/// `gatehouse audit …`.
enum AuditCommand {
  static let all = [verify]

  private static let verify = Command(
    name: "audit verify", summary: "Check the chain of the audit log; the exit code is 1 when it is broken.",
    options: [.json],
    action: .installation { here, arguments in
      try await LinkAudit(here)()
      let report = try await VerifyAudit(here)()
      var answer: CommandResult = arguments.has(.json) ? .json(json(report)) : CommandResult(output: sentence(report))
      answer.exitCode = report.firstBroken == nil ? 0 : 1
      return answer
    })

  private static func json(_ report: VerifyAudit.Report) -> JSONValue {
    [
      "rows": .integer(report.rows), "batches": .integer(report.batches), "unlinked": .integer(report.unlinkedRows),
      "first_broken_batch": report.firstBroken.map(JSONValue.integer) ?? .null,
    ]
  }

  private static func sentence(_ report: VerifyAudit.Report) -> String {
    let verdict =
      report.firstBroken.map { "broken at batch \($0): rows were changed, removed or added afterwards" } ?? "intact"
    return "The audit log is \(verdict): \(report.rows) rows in \(report.batches) batches, "
      + "\(report.unlinkedRows) not linked yet."
  }
}
