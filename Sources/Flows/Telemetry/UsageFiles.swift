import Domain
public import JSON
import Storage

/// The figures of a report for other programs.
extension UsageReport {
  /// One line for each day and each thing that was used then, below a line that names the columns (RFC 4180).
  public var csv: String {
    var lines = ["day,by,id,name,calls,refusals"]
    for entry in entries + (others.map { [$0] } ?? []) {
      let cells = [dimension.rawValue, entry.subject, entry.name].map(\.cell).joined(separator: ",")
      for (day, count) in zip(days, entry.days) where count != UsageCount() {
        lines.append("\(Timestamp.text(ofDay: day)),\(cells),\(count.calls),\(count.refusals)")
      }
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  public var json: JSONValue {
    let (first, last) = (Timestamp.text(ofDay: days.lowerBound), Timestamp.text(ofDay: days.upperBound))
    return [
      "by": .string(dimension.rawValue), "from": .string(first), "until": .string(last), "total": total.json,
      "entries": .array(entries.map { .object($0.members(of: days, hasID: true)) }),
      "others": others.map { .object($0.members(of: days, hasID: false)) } ?? .null,
    ]
  }
}

extension UsageReport.Entry {
  fileprivate func members(of span: ClosedRange<Int64>, hasID: Bool) -> [JSONValue.Member] {
    let used = zip(span, days).filter { $1 != UsageCount() }
    let listed: [JSONValue] = used.map { day, count in
      [
        "day": .string(Timestamp.text(ofDay: day)), "calls": .integer(count.calls),
        "refusals": .integer(count.refusals),
      ]
    }
    let id: [JSONValue.Member] = hasID ? [.init("id", subject.isEmpty ? .null : .string(subject))] : []
    return id + [
      .init("name", .string(name)), .init("calls", .integer(total.calls)), .init("refusals", .integer(total.refusals)),
      .init("days", .array(listed)),
    ]
  }
}

extension UsageCount {
  fileprivate var json: JSONValue { ["calls": .integer(calls), "refusals": .integer(refusals)] }
}

extension String {
  /// As one cell of a table: quoted, and with an apostrophe before what a spreadsheet would take for a formula.
  fileprivate var cell: String {
    let isFormula = first.map { "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".contains($0) } ?? false
    return "\"" + (isFormula ? "'" : "") + replacing("\"", with: "\"\"") + "\""
  }
}
