public import Domain
import Storage

/// An audit row with the names of what it tells of, as far as these still exist.
public struct AuditEntry: Sendable {
  public let event: AuditEvent
  /// The name of who did it; `nil` when that is no account, client or upstream.
  public let actor: String?
  /// Whether who did it is an account that administers.
  public let isByAdministrator: Bool
  public let account: String?
  public let client: String?
  /// Only of the connection that was there then: another one may have its id by now.
  public let connection: String?
}

extension Transaction {
  /// The rows with names in place of ids.
  func named(_ records: [AuditRecord]) throws -> [AuditEntry] {
    let events = records.map(\.event)
    let accounts = try found(events.flatMap { [$0.account, $0.origin.administrator] }) { try account($0) }
    let clients = try found(events.map(\.client)) { try client($0)?.name }
    let connections = try found(events.map(\.connection)) { try connection($0) }
    return events.map { event in
      let (actor, isByAdministrator): (String?, Bool) =
        switch event.actor {
        case .account(let id): (accounts[id]?.name ?? id.text, accounts[id]?.role == .administrator)
        case .client(let id): (clients[id] ?? id.text, false)
        case .upstream(let id): (connections[id]?.name ?? id.text, false)
        case .commandLine, .system, .unknown: (nil, false)
        }
      return AuditEntry(
        event: event, actor: actor, isByAdministrator: isByAdministrator,
        account: event.account.map { accounts[$0]?.name ?? ($0 == Account.service ? "Gatehouse" : $0.text) },
        client: event.client.map { clients[$0] ?? $0.text },
        connection: event.connection.flatMap { connections[$0] }.flatMap { $0.createdAt <= event.at ? $0.name : nil })
    }
  }

  private func found<ID: Hashable, Found>(_ ids: [ID?], _ find: (ID) throws -> Found?) throws -> [ID: Found] {
    var found: [ID: Found] = [:]
    for id in Set(ids.compactMap(\.self)) { found[id] = try find(id) }
    return found
  }
}
