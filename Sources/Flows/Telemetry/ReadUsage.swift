import Domain
public import Storage

/// How much was vended and refused, told apart by one thing and by day.
public struct UsageReport: Sendable {
  /// One thing that is told apart.
  public struct Entry: Sendable {
    /// As it is kept: an id or a resource; empty for what is not told apart.
    public let subject: String
    public let name: String
    /// One for each day of the report.
    public let days: [UsageCount]

    public var total: UsageCount { days.reduce(UsageCount(), +) }
  }

  public let dimension: UsageDimension
  /// Days since 1970, in UTC.
  public let days: ClosedRange<Int64>
  /// Those with the most calls and refusals, the most first.
  public let entries: [Entry]
  /// Everything else together; `nil` when there is nothing else.
  public let others: Entry?

  /// Those that are told apart at most.
  public static let mostEntries = 50
  /// The days that a report may look back.
  public static let span: ClosedRange<Int64> = 1...365

  public var total: UsageCount { (entries + (others.map { [$0] } ?? [])).map(\.total).reduce(UsageCount(), +) }
}

extension Installation {
  /// The days that a report of the last `count` days is about, today included.
  public func lastDays(_ count: Int64) -> ClosedRange<Int64> {
    let today = VendUse.day(of: clock.now())
    return today - count + 1...today
  }

  /// What `filter` means, told apart by `dimension`; what came within the last second may be missing.
  public func usage(by dimension: UsageDimension, _ filter: UsageFilter) async throws -> UsageReport {
    try await store.read { tx in
      let subjects = try tx.usageSubjects(by: dimension, filter, limit: UsageReport.mostEntries)
      let figures = Dictionary(grouping: try tx.usage(by: dimension, of: subjects, filter), by: \.subject)
      let entries = try subjects.map { subject in
        UsageReport.Entry(
          subject: subject, name: try tx.name(of: subject, dimension), days: filter.spread(figures[subject] ?? []))
      }
      let all = filter.spread(try tx.usage(filter))
      let rest = entries.reduce(all) { rest, entry in zip(rest, entry.days).map { $0 - $1 } }
      let isComplete = rest.allSatisfy { $0 == UsageCount() }
      return UsageReport(
        dimension: dimension, days: filter.days, entries: entries,
        others: isComplete ? nil : UsageReport.Entry(subject: "", name: "All others", days: rest))
    }
  }
}

extension UsageFilter {
  /// The counts of every day, also of those without any.
  fileprivate func spread(_ figures: [UsageFigure]) -> [UsageCount] {
    var counts = Array(repeating: UsageCount(), count: days.count)
    for figure in figures { counts[Int(figure.day - days.lowerBound)] = figure.count }
    return counts
  }
}

extension Transaction {
  /// What people call it, as far as it still exists.
  fileprivate func name(of subject: String, _ dimension: UsageDimension) throws -> String {
    switch dimension {
    case .client: return try ClientID(subject).flatMap { try client($0)?.name } ?? subject
    case .key:
      if subject.isEmpty { return "Without an API key" }
      return try APIKeyID(subject).flatMap { try apiKey($0)?.name } ?? subject
    case .connection:
      if subject.isEmpty { return "No connection" }
      return try ConnectionID(subject).flatMap { try connection($0)?.name } ?? subject
    case .resource: return subject.isEmpty ? "Nothing that is told apart" : subject
    case .account:
      if subject.isEmpty { return "Accounts that are not told apart" }
      if subject == Account.service.text { return "Gatehouse itself" }
      return try AccountID(subject).flatMap { try account($0)?.name } ?? subject
    }
  }
}
