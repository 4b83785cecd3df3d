import Domain
public import Storage

/// What somebody wants to know of the usage, as it was typed.
public struct UsageQuestion: Sendable {
  /// What uses can be narrowed to.
  public enum Field: String, Sendable, CaseIterable {
    case client
    case key
    case connection
    case account
    case resource
  }

  public var dimension: UsageDimension
  /// Today included.
  public var dayCount: Int64
  /// Names or ids; of a resource the beginning of its URL.
  public var texts: [Field: String]

  public init(dimension: UsageDimension = .client, dayCount: Int64 = 30, texts: [Field: String] = [:]) {
    self.dimension = dimension
    self.dayCount = dayCount
    self.texts = texts
  }
}

extension Installation {
  /// What `question` means, and the fields that mean nothing here.
  public func filter(
    of question: UsageQuestion
  ) async throws -> (filter: UsageFilter, unknown: [UsageQuestion.Field]) {
    func text(_ field: UsageQuestion.Field) -> String { question.texts[field] ?? "" }
    var named = AuditFilter()
    let names = AuditFilter.Names(account: text(.account), client: text(.client), connection: text(.connection))
    try await resolve(names, into: &named)
    var filter = UsageFilter(days: lastDays(question.dayCount))
    (filter.clients, filter.connections, filter.accounts) = (named.clients, named.connections, named.accounts)
    let key = text(.key)
    if !key.isEmpty {
      filter.keys = try await store.read { try $0.apiKeys(called: key) }
      // Also one that is deleted by now.
      if filter.keys.isEmpty { filter.keys = APIKeyID(key).map { [$0] } ?? [] }
    }
    filter.resource = ResourceURL(text(.resource))?.service ?? ""
    let isEmpty: [UsageQuestion.Field: Bool] = [
      .client: filter.clients.isEmpty, .key: filter.keys.isEmpty, .connection: filter.connections.isEmpty,
      .account: filter.accounts.isEmpty, .resource: filter.resource.isEmpty,
    ]
    return (filter, UsageQuestion.Field.allCases.filter { !text($0).isEmpty && isEmpty[$0] == true })
  }
}
