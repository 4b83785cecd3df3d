import Domain
import Flows
import HTTP
import JSON
import Pages
import Storage

/// How much was taken and refused, by day: as pictures, as a table, and as files.
struct UsageEndpoint: Sendable {
  private static let path = "/admin/usage"
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let form = try await UsageForm(call.call.query(), admin.here)
    var slots: PageContext.Object = ["report": .none]
    if !form.page.isRefused {
      let report = try await admin.here.usage(by: form.question.dimension, form.filter)
      slots["report"] = .object(report.slots(form, admin.desk.external.basePath + Self.path))
    }
    return try admin.render(.adminUsage, form.slots.merging(slots), call, status: form.page.isRefused ? 422 : .ok)
  }

  /// The figures as a table for spreadsheets.
  func csv(_ call: AdminCall) async throws -> Response {
    try file(try await report(call), "csv", "text/csv; charset=utf-8; header=present") { Array($0.csv.utf8) }
  }

  func json(_ call: AdminCall) async throws -> Response {
    try file(try await report(call), "json", "application/json") { $0.json.encoded(layout: .pretty) }
  }

  /// - Throws: `Refusal` `invalid_request` with what is wrong with the first field that is.
  private func report(_ call: AdminCall) async throws -> UsageReport {
    let form = try await UsageForm(call.call.query(), admin.here)
    if let objection = form.page.firstError { throw Refusal(.invalidRequest, objection) }
    return try await admin.here.usage(by: form.question.dimension, form.filter)
  }

  private func file(
    _ report: UsageReport, _ ending: String, _ type: FieldValue, _ encode: (UsageReport) -> [UInt8]
  ) throws -> Response {
    let day = Timestamp.text(ofDay: report.days.upperBound)
    var response = Response(status: .ok, headers: ["content-type": type], body: .bytes(encode(report)))
    let name = "gatehouse-usage-by-\(report.dimension.rawValue)-\(day)-\(report.days.count)-days.\(ending)"
    if let value = FieldValue("attachment; filename=\"\(name)\"") {
      response.headers.set("content-disposition", value)
    }
    return response
  }
}

extension UsageReport {
  fileprivate func slots(_ form: UsageForm, _ path: String) -> PageContext.Object {
    let charts = [
      UsageChart("calls", "Calls", self) { $0.calls }, UsageChart("refusals", "Refusals", self) { $0.refusals },
    ]
    let all = max(total.calls + total.refusals, 1)
    let listed = entries.map { $0.slots(all, link($0, form, path)) } + (others.map { [$0.slots(all, .none)] } ?? [])
    return [
      "by": .text(dimension.label), "days": .text("\(days.count)"),
      "calls": .text(total.calls.grouped), "refusals": .text(total.refusals.grouped),
      "csv": .url(form.query().appended(to: path + ".csv")), "json": .url(form.query().appended(to: path + ".json")),
      "legend": .list(
        UsageChart.series(of: self).map {
          .object(["tone": .text($0.tone), "mark": .text($0.mark), "name": .text($0.name)])
        }),
      "charts": .list(charts.map { .object($0.slots) }), "entries": .list(listed.map(PageContext.object)),
    ]
  }

  /// What leads further into one entry.
  private func link(_ entry: Entry, _ form: UsageForm, _ path: String) -> PageContext {
    guard !entry.subject.isEmpty else { return .none }
    let next: UsageDimension = dimension == .resource ? .client : .resource
    return .url(form.query([dimension.field: entry.subject], by: next).appended(to: path))
  }
}

extension UsageReport.Entry {
  /// `all` is what a whole bar stands for.
  fileprivate func slots(_ all: Int64, _ link: PageContext) -> PageContext.Object {
    [
      "name": .text(name), "subject": .text(ifAny: name == subject || subject.isEmpty ? nil : subject), "link": link,
      "calls": .text(total.calls.grouped), "refusals": .text(total.refusals.grouped),
      "calls_width": .text("\(total.calls * 100 / all)"), "refusals_width": .text("\(total.refusals * 100 / all)"),
    ]
  }
}
