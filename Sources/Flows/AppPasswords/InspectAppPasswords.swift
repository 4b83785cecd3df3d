public import Domain
import Storage

/// What administrators see of people's app passwords, and how they end one.
public struct InspectAppPasswords: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Place: Sendable {
    case account(AccountID)
    case connection(ConnectionID)

    func holds(_ password: AppPassword) -> Bool {
      switch self {
      case .account(let id): password.account == id
      case .connection(let id): password.connection == id
      }
    }
  }

  /// A password by what it is for; nothing of the password itself.
  public struct Entry: Sendable {
    public let password: AppPassword
    public let owner: Account
    public let client: Client
    public let connection: Connection
    /// Whether it is taken now.
    public let isTaken: Bool
  }

  /// Those of a place, a page at a time: an account's by age, a connection's by the names of their owners.
  ///
  /// `cursor` is from the page before; `nil` is the beginning.
  ///
  /// - Throws: `Refusal` when there is no such place, or the cursor is not one of ours.
  public func callAsFunction(at place: Place, after cursor: String? = nil) async throws -> ListPage<Entry> {
    switch place {
    case .account(let id):
      let entries = try await here.store.read { tx in
        guard try tx.account(id) != nil else { throw Refusal(.notFound, "There is no account called \(id).") }
        return try tx.entries(of: try tx.appPasswords(of: id))
      }
      return ListPage(entries: entries, skipped: 0, total: Int64(entries.count), next: nil)
    case .connection(let id):
      let start = try here.cursor(cursor, in: .appPasswords)
      let (read, total) = try await here.store.read { tx in
        guard try tx.connection(id) != nil else { throw Refusal(.notFound, "There is no connection called \(id).") }
        let passwords = try tx.appPasswords(at: id, after: start.place, limit: ListPage<Entry>.size + 1)
        return (try tx.entries(of: passwords), try tx.countAppPasswords(at: id))
      }
      return here.page(read, of: total, at: start, in: .appPasswords) {
        ListPosition(name: $0.owner.name, id: $0.password.id.text)
      }
    }
  }

  /// Ends one with all that was given for it, and returns it.
  ///
  /// - Throws: `Refusal` `not_found` when there is none of this id at the place.
  @discardableResult
  public func end(_ id: AppPasswordID, at place: Place, _ visitor: Visitor) async throws -> AppPassword {
    let now = here.clock.now()
    let ended = try await here.store.write { tx -> AppPassword? in
      guard let password = try tx.appPassword(id), place.holds(password) else { return nil }
      try tx.endAppPassword(id, at: now)
      try tx.insert(
        AuditEvent(
          .appPasswordEnded, at: now, origin: visitor.origin, account: password.account, client: password.client,
          connection: password.connection, detail: "\(id), by an administrator"))
      return password
    }
    guard let ended else { throw Refusal(.notFound, "There is no app password of this id here.") }
    here.proxyPlaces.end(.consent(ended.client, of: ended.account))
    return ended
  }
}

extension Transaction {
  fileprivate func entries(of passwords: [AppPassword]) throws -> [InspectAppPasswords.Entry] {
    try passwords.compactMap { password in
      guard let owner = try account(password.account), let client = try client(password.client),
        let connection = try connection(password.connection)
      else { return nil }
      return InspectAppPasswords.Entry(
        password: password, owner: owner, client: client, connection: connection, isTaken: try counts(password))
    }
  }
}
