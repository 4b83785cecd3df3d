public import Domain
import Storage

/// Disables, enables or deletes a connection.
public struct ChangeConnection: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Change: String, Sendable {
    case disable
    case enable
    case delete
  }

  /// Deleting disables the connection, disconnects everybody as a sign-out would, and deletes it once the upstream has
  /// revoked what they held.
  ///
  /// Returns the connection as it was before; `administrator` is `nil` on the command line.
  ///
  /// - Throws: `Refusal` `not_found`, or `temporarily_unavailable` when tokens of the connection still wait to be revoked:
  ///   it stays disabled, and deleting it again works once the outbox is empty, after a day at the latest.
  @discardableResult
  public func callAsFunction(
    _ change: Change, _ id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> Connection {
    let actor = Actor(administrator: administrator, visitor: visitor)
    switch change {
    case .disable: return try await set(disabled: true, id, actor, detail: "disable")
    case .enable: return try await set(disabled: false, id, actor, detail: "enable")
    case .delete:
      let connection = try await set(disabled: true, id, actor, detail: "disable to delete")
      try await disconnectEverybody(from: id, actor)
      try await withdrawConsents(to: id, actor)
      try await remove(id, actor)
      return connection
    }
  }

  /// Who changes it, for the audit.
  private struct Actor: Sendable {
    let administrator: AccountID?
    let visitor: Visitor
  }

  private func event(
    _ name: AuditEvent.Name, _ id: ConnectionID, _ actor: Actor, detail: String?
  ) -> @Sendable (Transaction) throws -> Void {
    here.recording(
      AuditEvent(
        name, at: here.clock.now(), origin: actor.visitor.origin, account: actor.administrator, connection: id,
        detail: detail))
  }

  private func set(
    disabled: Bool, _ id: ConnectionID, _ actor: Actor, detail: String
  ) async throws -> Connection {
    let (now, event) = (here.clock.now(), event(.connectionChanged, id, actor, detail: detail))
    let before: Connection? = try await here.store.write { tx in
      guard let connection = try tx.connection(id) else { return nil }
      if connection.isDisabled != disabled {
        try tx.setConnection(id, disabled: disabled, at: now)
        try event(tx)
      }
      return connection
    }
    guard let before else { throw Refusal(.notFound, "There is no connection called \(id).") }
    if disabled { here.proxyPlaces.end(.connection(id)) }
    return before
  }

  /// Closes every credential, so that its tokens stand in the outbox, and tells the upstream of the first ones at once.
  ///
  /// The others, and those it does not answer for, are the outbox's.
  private func disconnectEverybody(from id: ConnectionID, _ actor: Actor) async throws {
    let close = CloseCredential(here: here)
    while true {
      let now = here.clock.now()
      let closing = try await here.store.writeInBackground { tx in
        try tx.openCredentials(at: id, limit: Self.batch).compactMap { try close.begin($0, tx, actor.visitor, at: now) }
      }
      if closing.isEmpty { return }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for one in closing.prefix(Self.toldAtOnce) { group.addTask { _ = try await close.finish(one, at: now) } }
        try await group.waitForAll()
      }
    }
  }

  /// Ends what people allowed apps to do with it: another connection may come to stand under the same id.
  private func withdrawConsents(to id: ConnectionID, _ actor: Actor) async throws {
    let (here, now) = (here, here.clock.now())
    var isDone = false
    while !isDone {
      isDone = try await here.store.writeInBackground { tx in
        let consents = try tx.consents(naming: id, limit: Self.batch)
        for consent in consents {
          try tx.put(consent.without(id))
          try here.recording(
            AuditEvent(
              .consentWithdrawn, at: now, origin: actor.visitor.origin, account: consent.account,
              client: consent.client, connection: id, detail: "the connection is being deleted"))(tx)
        }
        return consents.isEmpty
      }
    }
  }

  private func remove(_ id: ConnectionID, _ actor: Actor) async throws {
    let event = event(.connectionDeleted, id, actor, detail: nil)
    let remains = try await here.store.write { tx -> Int64 in
      guard try tx.deleteEmptyConnection(id) else { return try tx.countRemains(of: id) }
      try event(tx)
      return 0
    }
    guard remains > 0 else { return }
    throw Refusal(
      .temporarilyUnavailable,
      """
      The connection is disabled and everybody is disconnected, but the service has not confirmed yet that \(remains) \
      of their tokens no longer work. Gatehouse keeps asking for a day at most. Delete the connection again later.
      """, retryAfter: 60)
  }

  /// How many rows are changed in one transaction.
  private static let batch: Int64 = 100
  /// How many of a batch the administrator waits for.
  private static let toldAtOnce = 10
}
