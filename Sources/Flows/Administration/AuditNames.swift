import Domain
public import Storage

extension AuditFilter {
  /// Whom and what an administrator wants to see rows about, by name or id; empty for everything.
  public struct Names: Sendable {
    public let account: String
    public let client: String
    public let connection: String

    public init(account: String, client: String, connection: String) {
      self.account = account
      self.client = client
      self.connection = connection
    }
  }
}

extension Installation {
  /// Fills in what `names` mean.
  ///
  /// What means nothing stays empty; an id also means what was deleted, as long as the log tells of it.
  public func resolve(_ names: AuditFilter.Names, into filter: inout AuditFilter) async throws {
    let found = try await store.read { tx in
      var found = AuditFilter()
      found.accounts = try tx.ids(names.account, AccountID.init, tx.accounts(called:), \.accounts)
      found.clients = try tx.ids(names.client, ClientID.init, tx.clients(called:), \.clients)
      found.connections = try tx.ids(names.connection, ConnectionID.init, tx.connections(called:), \.connections)
      return found
    }
    (filter.accounts, filter.clients, filter.connections) = (found.accounts, found.clients, found.connections)
  }
}

extension Transaction {
  /// The ids that `text` means: its own when it is one that the log tells of, and those of everything called like it.
  fileprivate func ids<ID: Equatable>(
    _ text: String, _ read: (String) -> ID?, _ called: (String) throws -> [ID],
    _ field: WritableKeyPath<AuditFilter, [ID]>
  ) throws -> [ID] {
    guard !text.isEmpty else { return [] }
    var ids = try called(text)
    if let id = read(text), !ids.contains(id) {
      var filter = AuditFilter()
      filter[keyPath: field] = [id]
      if try !auditRecords(filter, before: nil, limit: 1).isEmpty { ids.append(id) }
    }
    return ids
  }
}
