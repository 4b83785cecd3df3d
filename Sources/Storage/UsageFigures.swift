public import Domain
import SQL

/// What usage is told apart by.
public enum UsageDimension: String, Sendable, CaseIterable {
  case client
  case key
  case connection
  case resource
  case account

  fileprivate var column: Columns {
    switch self {
    case .client: Columns("u.client_id")
    case .key: Columns("u.key_id")
    case .connection: Columns("u.connection_id")
    case .resource: Columns("u.resource")
    case .account: Columns("u.account_id")
    }
  }
}

/// Which uses are meant; what is empty means all of them.
public struct UsageFilter: Sendable, Equatable {
  /// Days since 1970, in UTC.
  public var days: ClosedRange<Int64>
  public var clients: [ClientID] = []
  public var keys: [APIKeyID] = []
  public var connections: [ConnectionID] = []
  public var accounts: [AccountID] = []
  /// A resource as it is counted, or what stands above several.
  public var resource = ""

  public init(days: ClosedRange<Int64>) { self.days = days }
}

/// What was taken, and what was refused.
public struct UsageCount: Sendable, Equatable {
  public var calls: Int64
  public var refusals: Int64

  public init(calls: Int64 = 0, refusals: Int64 = 0) {
    self.calls = calls
    self.refusals = refusals
  }

  public static func + (a: UsageCount, b: UsageCount) -> UsageCount {
    UsageCount(calls: a.calls + b.calls, refusals: a.refusals + b.refusals)
  }

  public static func - (a: UsageCount, b: UsageCount) -> UsageCount {
    UsageCount(calls: a.calls - b.calls, refusals: a.refusals - b.refusals)
  }
}

/// The figures of one day, and of one thing that is told apart.
public struct UsageFigure: Sendable, Equatable {
  /// As stored: an id or a resource; empty for what is not told apart.
  public let subject: String
  public let day: Int64
  public let count: UsageCount
}

extension Transaction {
  /// What `filter` means, told apart by `dimension`: those with the most calls and refusals, and not more than `limit`.
  public func usageSubjects(by dimension: UsageDimension, _ filter: UsageFilter, limit: Int) throws -> [String] {
    var statement = Statement.Interpolation(literalCapacity: 600, interpolationCount: 20)
    statement.appendLiteral("SELECT ")
    statement.appendInterpolation(dimension.column)
    statement.appendLiteral(" AS subject")
    statement.append(filter)
    statement.appendLiteral(" GROUP BY subject ORDER BY sum(d.calls) + sum(d.refusals) DESC, subject LIMIT ")
    statement.appendInterpolation(limit)
    return try session.rows(Statement(stringInterpolation: statement)).map { try $0.text("subject") }
  }

  /// The figures of each of `subjects` by day, in this order; a day without any is left out.
  public func usage(
    by dimension: UsageDimension, of subjects: [String], _ filter: UsageFilter
  ) throws -> [UsageFigure] {
    guard !subjects.isEmpty else { return [] }
    var statement = Statement.Interpolation(literalCapacity: 600, interpolationCount: 20)
    statement.appendLiteral("SELECT ")
    statement.appendInterpolation(dimension.column)
    statement.appendLiteral(" AS subject, d.day AS day, ")
    statement.appendInterpolation(.usageSums)
    statement.append(filter)
    statement.appendLiteral(" AND ")
    statement.appendInterpolation(dimension.column)
    statement.append(" IN (", subjects)
    statement.appendLiteral(" GROUP BY subject, d.day ORDER BY subject, d.day")
    return try session.rows(Statement(stringInterpolation: statement)).map {
      UsageFigure(subject: try $0.text("subject"), day: try $0.integer("day"), count: try UsageCount(row: $0))
    }
  }

  /// The API keys with this name or id; some of them when there are very many.
  public func apiKeys(called name: String) throws -> [APIKeyID] {
    try session.rows("SELECT id FROM api_key WHERE name = \(name) OR id = \(name) ORDER BY id LIMIT 100").map {
      try $0.identifier("id")
    }
  }

  /// Everything that `filter` means by day; a day without any is left out.
  public func usage(_ filter: UsageFilter) throws -> [UsageFigure] {
    var statement = Statement.Interpolation(literalCapacity: 600, interpolationCount: 20)
    statement.appendLiteral("SELECT d.day AS day, ")
    statement.appendInterpolation(.usageSums)
    statement.append(filter)
    statement.appendLiteral(" GROUP BY d.day ORDER BY d.day")
    return try session.rows(Statement(stringInterpolation: statement)).map {
      UsageFigure(subject: "", day: try $0.integer("day"), count: try UsageCount(row: $0))
    }
  }
}

extension UsageCount {
  fileprivate init(row: Row) throws {
    self.init(calls: try row.integer("calls"), refusals: try row.integer("refusals"))
  }
}

extension Columns {
  fileprivate static let usageSums = Columns(
    "CAST(sum(d.calls) AS bigint) AS calls, CAST(sum(d.refusals) AS bigint) AS refusals")
}

extension Statement.Interpolation {
  fileprivate mutating func append(_ filter: UsageFilter) {
    // A cross join, so that SQLite finds the uses first, which are few, and their days by the index that holds the counts.
    appendLiteral(" FROM vend_use u CROSS JOIN vend_use_day d WHERE d.use_id = u.id AND d.day >= ")
    appendInterpolation(filter.days.lowerBound)
    appendLiteral(" AND d.day <= ")
    appendInterpolation(filter.days.upperBound)
    // What was last taken before has no day among them.
    appendLiteral(" AND u.last_day >= ")
    appendInterpolation(filter.days.lowerBound)
    append(" AND u.client_id IN (", filter.clients)
    append(" AND u.key_id IN (", filter.keys)
    append(" AND u.connection_id IN (", filter.connections)
    append(" AND u.account_id IN (", filter.accounts)
    guard !filter.resource.isEmpty else { return }
    appendLiteral(" AND (u.resource = ")
    appendInterpolation(filter.resource)
    appendLiteral(" OR substr(u.resource, 1, CAST(")
    appendInterpolation(filter.resource.unicodeScalars.count + 1)
    appendLiteral(" AS integer)) = ")
    appendInterpolation(filter.resource + "/")
    appendLiteral(")")
  }

  /// Adds a condition, unless it names nothing.
  fileprivate mutating func append(_ condition: StaticString, _ values: [some Bindable]) {
    guard !values.isEmpty else { return }
    appendLiteral("\(condition)")
    for (index, value) in values.enumerated() {
      if index > 0 { appendLiteral(", ") }
      appendInterpolation(value)
    }
    appendLiteral(")")
  }
}
