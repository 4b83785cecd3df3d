import Domain
import Storage
import Synchronization

/// Which apps are known to have used what: nobody has to be told of those again.
///
/// What is not known here is asked of the store, in the transaction that writes the use down.
final class KnownUses: Sendable {
  struct Use: Hashable, Sendable {
    let account: AccountID
    let client: ClientID
    let connection: ConnectionID
  }

  private struct State {
    /// Clients and connections may have been replaced since.
    var version = -1
    var uses: Set<Use> = []
  }

  private static let capacity = 20_000
  private let state = Mutex(State())

  func contains(_ use: Use, at version: Int) -> Bool {
    state.withLock { $0.version == version && $0.uses.contains(use) }
  }

  func insert(_ use: Use, at version: Int) {
    state.withLock { state in
      if state.version != version || state.uses.count >= Self.capacity { state = State(version: version) }
      state.uses.insert(use)
    }
  }
}

extension Installation {
  /// Writes down that an app was given something, and tells the owner if it is the first time.
  func recordUse(_ event: AuditEvent, _ use: KnownUses.Use) async throws {
    let version = store.configurationVersion
    if knownUses.contains(use, at: version) { return try await record(event) }
    try await store.write { tx in
      try tx.insert(event)
      guard try tx.insertFirstUse(of: use.connection, by: use.client, for: use.account, at: event.at) else { return }
      var facts = Notice.Facts()
      facts.connection = use.connection
      facts.service = try tx.connection(use.connection)?.name
      facts.app = try tx.client(use.client)?.name
      try self.announce(
        .credentialNewClient,
        WebhookFacts(account: use.account, connection: use.connection, client: use.client), tx, at: event.at)
      try self.telling(.appFirstUse, use.account, facts, at: event.at)(tx)
    }
    knownUses.insert(use, at: version)
  }
}
