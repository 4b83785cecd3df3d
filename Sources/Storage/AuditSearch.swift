public import Domain
import SQL

/// Which audit rows are meant; what is not set means all of them.
public struct AuditFilter: Sendable, Equatable {
  /// Empty for every kind of event.
  public var names: [AuditEvent.Name] = []
  public var failuresOnly = false
  /// Rows about any of these, or of what one of them did as an administrator.
  public var accounts: [AccountID] = []
  /// Rows about any of these.
  public var clients: [ClientID] = []
  /// Rows about any of these.
  public var connections: [ConnectionID] = []
  public var from: Timestamp?
  /// The first moment that is not meant any more.
  public var until: Timestamp?

  public init() {}
}

extension Transaction {
  /// The rows that `filter` means before the one called `id`, newest first; the latest ones for `nil`.
  ///
  /// Those before the one called `begin` are not looked at.
  public func auditRecords(
    _ filter: AuditFilter, from begin: Int64 = .min, before id: Int64?, limit: Int64
  ) throws -> [AuditRecord] {
    var statement = Statement.Interpolation(literalCapacity: 300, interpolationCount: 20)
    statement.appendLiteral("SELECT ")
    statement.appendInterpolation(Columns.auditColumns)
    statement.append(filter, from: begin, before: id)
    statement.appendLiteral(" ORDER BY id DESC LIMIT ")
    statement.appendInterpolation(limit)
    return try session.rows(Statement(stringInterpolation: statement)).map(AuditRecord.init(row:))
  }

  public func countAuditRecords(_ filter: AuditFilter) throws -> Int64 {
    var statement = Statement.Interpolation(literalCapacity: 300, interpolationCount: 20)
    statement.appendLiteral("SELECT count(*) AS n")
    statement.append(filter, from: .min, before: nil)
    return try session.first(Statement(stringInterpolation: statement))?.integer("n") ?? 0
  }

  /// The accounts with this name, user name or id; some of them when there are very many.
  public func accounts(called name: String) throws -> [AccountID] {
    try session.rows(
      """
      SELECT id FROM account WHERE name = \(name) OR username = \(Username.folded(name)) OR id = \(name)
      ORDER BY id LIMIT 100
      """
    ).map { try $0.identifier("id") }
  }

  /// The clients with this name or id; some of them when there are very many.
  public func clients(called name: String) throws -> [ClientID] {
    try session.rows("SELECT id FROM client WHERE name = \(name) OR id = \(name) ORDER BY id LIMIT 100").map {
      try $0.identifier("id")
    }
  }

  /// The connections with this name or id; some of them when there are very many.
  public func connections(called name: String) throws -> [ConnectionID] {
    try session.rows("SELECT id FROM connection WHERE name = \(name) OR id = \(name) ORDER BY id LIMIT 100").map {
      try $0.connectionID("id")
    }
  }
}

extension Statement.Interpolation {
  fileprivate mutating func append(_ filter: AuditFilter, from begin: Int64, before id: Int64?) {
    // Ids rise with time, so that a span of time is a span of the primary key.
    appendLiteral(" FROM audit WHERE id >= ")
    appendInterpolation(max(begin, filter.from.map(AuditRecord.firstID) ?? .min))
    appendLiteral(" AND id < ")
    appendInterpolation(min(id ?? .max, filter.until.map(AuditRecord.firstID) ?? .max))
    append(" AND name IN (", filter.names.map(\.rawValue))
    append(" AND (account_id IN (", filter.accounts)
    append(" OR actor_id IN (", filter.accounts)
    if !filter.accounts.isEmpty { appendLiteral(")") }
    append(" AND client_id IN (", filter.clients)
    append(" AND connection_id IN (", filter.connections)
    if filter.failuresOnly { append(" AND outcome IN (", [AuditEvent.Outcome.failure.rawValue]) }
  }

  /// Adds a condition, unless it names nothing.
  private mutating func append(_ condition: StaticString, _ values: [some Bindable]) {
    guard !values.isEmpty else { return }
    appendLiteral("\(condition)")
    for (index, value) in values.enumerated() {
      if index > 0 { appendLiteral(", ") }
      appendInterpolation(value)
    }
    appendLiteral(")")
  }
}
