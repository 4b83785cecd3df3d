@testable import Pages

extension SamplePage {
  static let usagePages: [SamplePage] = [
    SamplePage(.adminUsage, "full", choice(narrowed: true).merging(["report": .object(report(entries: 2))])),
    SamplePage(
      .adminUsage, "nothing", bare.merging(choice(narrowed: false)).merging(["report": .object(report(entries: 0))])),
    SamplePage(
      .adminUsage, "errors",
      choice(
        narrowed: true,
        [
          ("by", "Choose one of the list."), ("days", "Choose one of the list."),
          ("client", "No client has this name or id."), ("key", "No API key has this name or id."),
          ("connection", "No connection has this name or id."), ("account", "No account has this name or id."),
          ("resource", "Enter the beginning of an address."),
        ]
      ).merging(["report": .none])),
  ]

  private static func choice(narrowed: Bool, _ errors: [(String, String)] = []) -> PageContext.Object {
    let names = ["by", "days", "client", "key", "connection", "account", "resource"]
    let fields = Dictionary(uniqueKeysWithValues: names.map { ($0, narrowed ? hostile : "") })
    return form(fields, errors: errors).merging([
      "dimensions": items(
        ["value": "client", "label": "Client", "chosen": true],
        ["value": "account", "label": "Charged account", "chosen": false]),
      "ranges": items(
        ["value": "7", "label": "7 days", "chosen": false], ["value": "30", "label": "30 days", "chosen": true]),
      "narrowed": .flag(narrowed),
    ])
  }

  private static func report(entries count: Int) -> PageContext.Object {
    let isEmpty = count == 0
    return [
      "by": "client", "days": "30", "calls": "1,234", "refusals": "56",
      "csv": .url("/gate/admin/usage.csv?by=client"), "json": .url("/gate/admin/usage.json?by=client"),
      "legend": isEmpty
        ? []
        : items(
          ["tone": "tone1", "mark": "1", "name": .text(hostile)],
          ["tone": "rest", "mark": "Others", "name": "All others"]),
      "charts": items(chart("calls", "Calls", isEmpty: isEmpty), chart("refusals", "Refusals", isEmpty: isEmpty)),
      "entries": isEmpty
        ? []
        : items(
          entry(hostile, "client_1", .url("/gate/admin/usage?by=resource&client=client_1")),
          entry("All others", nil, .none)),
    ]
  }

  private static func entry(_ name: String, _ subject: String?, _ link: PageContext) -> PageContext.Object {
    [
      "name": .text(name), "subject": .text(ifAny: subject), "link": link, "calls": "1,000", "refusals": "50",
      "calls_width": "80", "refusals_width": "4",
    ]
  }

  private static func chart(_ id: String, _ title: String, isEmpty: Bool) -> PageContext.Object {
    let parts: PageContext = items(
      ["tone": "tone1", "x": "12", "y": "400", "bar_width": "76", "bar_height": "600"],
      ["tone": "rest", "x": "12", "y": "300", "bar_width": "76", "bar_height": "100"])
    let cells: PageContext = items(
      ["column": "1", "figure": "600"], ["column": "Others", "figure": "100"])
    return [
      "id": .text(id), "title": .text(title), "summary": .text("\(title) by day, 700 in all."), "width": "200",
      "height": "1000", "middle": "500", "scale": ["1,000", "500", "0"], "dates": ["11-21", "11-22"],
      "columns": isEmpty
        ? [] : items(["mark": "1", "name": .text(hostile)], ["mark": "Others", "name": "All others"]),
      "bars": items(
        ["words": .text("2026-11-21\n\(hostile): 600"), "parts": isEmpty ? [] : parts],
        ["words": "2026-11-22", "parts": []]),
      "rows": items(["label": "2026-11-21", "total": "700", "cells": isEmpty ? [] : cells]),
    ]
  }
}
