import Domain
import Flows
import Pages
import Storage

/// One picture of a report: a bar for each day or week, stacked by what is told apart.
///
/// The picture holds marks alone; whatever is read stands beside it as text, and all its figures in a table.
struct UsageChart {
  /// A part of every bar.
  struct Series {
    let name: String
    /// What stands for it where the name is too long.
    let mark: String
    /// Which colour of the style sheet.
    let tone: String
    /// One for each day.
    let days: [UsageCount]
  }

  /// So many are told apart by colour; everything else is grey.
  private static let mostSeries = 5
  private static let daysOfWeek = 7
  /// Beyond so many days a bar is a week.
  private static let mostDailyBars = 90
  /// Units of the picture, which is stretched to the room that there is.
  private static let (barPitch, barGap, height) = (100, 12, 1000)

  let id: String
  let title: String
  let series: [Series]
  /// The days of each bar.
  private let steps: [Range<Int>]
  private let firstDay: Int64
  /// By bar and series.
  private let figures: [[Int64]]

  init(_ id: String, _ title: String, _ report: UsageReport, _ count: (UsageCount) -> Int64) {
    (self.id, self.title, firstDay) = (id, title, report.days.lowerBound)
    series = Self.series(of: report)
    let dayCount = report.days.count
    let length = dayCount > Self.mostDailyBars ? Self.daysOfWeek : 1
    // Whole weeks up to today; the first may be shorter.
    let starts = stride(from: dayCount - length, to: -length, by: -length).reversed()
    steps = starts.map { max($0, 0)..<$0 + length }
    let series = series
    figures = steps.map { step in series.map { one in one.days[step].reduce(0) { $0 + count($1) } } }
  }

  /// Those with the most, and the rest together.
  static func series(of report: UsageReport) -> [Series] {
    let named = report.entries.prefix(mostSeries).enumerated().map { index, entry in
      Series(name: entry.name, mark: "\(index + 1)", tone: "tone\(index + 1)", days: entry.days)
    }
    let rest = report.entries.dropFirst(mostSeries).map(\.days) + (report.others.map { [$0.days] } ?? [])
    guard let first = rest.first else { return named }
    let sum = rest.dropFirst().reduce(first) { zip($0, $1).map { $0 + $1 } }
    return named + [Series(name: "All others", mark: "\(named.count + 1)", tone: "rest", days: sum)]
  }

  private var totals: [Int64] { figures.map { $0.reduce(0, +) } }

  var slots: PageContext.Object {
    let top = Self.scale(for: totals.max() ?? 0)
    return [
      "id": .text(id), "title": .text(title), "summary": .text(summary),
      "width": .text("\(steps.count * Self.barPitch)"), "height": .text("\(Self.height)"),
      "middle": .text("\(Self.height / 2)"),
      "scale": .list([top, top / 2, 0].map { .text($0.grouped) }),
      "dates": .list(Set([0, steps.count / 2, steps.count - 1]).sorted().map { .text(shortDate(steps[$0])) }),
      "bars": .list(steps.indices.map { .object(bar($0, below: top)) }),
      "columns": .list(series.map { .object(["mark": .text($0.mark), "name": .text($0.name)]) }),
      "rows": .list(
        steps.indices.map { index in
          .object([
            "label": .text(date(steps[index])), "total": .text(totals[index].grouped),
            "cells": .list(
              zip(series, figures[index]).map { .object(["column": .text($0.mark), "figure": .text($1.grouped)]) }),
          ])
        }),
    ]
  }

  private func bar(_ index: Int, below top: Int64) -> PageContext.Object {
    var floor = Self.height
    var parts: [PageContext] = []
    for (one, figure) in zip(series, figures[index]) where figure > 0 {
      // What is there at all is seen.
      let height = min(max(Int(figure * Int64(Self.height) / top), 4), floor)
      floor -= height
      parts.append(
        .object([
          "tone": .text(one.tone), "x": .text("\(index * Self.barPitch + Self.barGap)"), "y": .text("\(floor)"),
          "bar_width": .text("\(Self.barPitch - 2 * Self.barGap)"), "bar_height": .text("\(height)"),
        ]))
    }
    let words = zip(series, figures[index]).filter { $1 > 0 }.map { "\($0.name): \($1.grouped)" }
    return ["words": .text(([date(steps[index])] + words).joined(separator: "\n")), "parts": .list(parts)]
  }

  private var summary: String {
    let span = (steps.last?.count ?? 1) > 1 ? "week" : "day"
    let sum = totals.reduce(0, +)
    guard let peak = totals.max(), peak > 0, let index = totals.firstIndex(of: peak) else {
      return "\(title) by \(span): none."
    }
    return "\(title) by \(span), \(sum.grouped) in all; the most, \(peak.grouped), \(date(steps[index]))."
  }

  private func date(_ step: Range<Int>) -> String {
    let days = [step.lowerBound, step.upperBound - 1].map { Timestamp.text(ofDay: firstDay + Int64($0)) }
    return step.count == 1 ? days[0] : days.joined(separator: " to ")
  }

  private func shortDate(_ step: Range<Int>) -> String {
    String(Timestamp.text(ofDay: firstDay + Int64(step.upperBound - 1)).suffix(5))
  }

  /// The number at the top of the scale: round, even, and at least `most`.
  static func scale(for most: Int64) -> Int64 {
    var unit: Int64 = 1
    while unit * 10 < most { unit *= 10 }
    return [2, 4, 6, 8, 10].map { $0 * unit }.first { $0 >= most } ?? 10 * unit
  }
}

extension Int64 {
  /// With commas between thousands.
  var grouped: String {
    let digits = String(self)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }
}
