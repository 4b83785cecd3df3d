import Domain
import Logging
import Storage
import Upstream

/// Empties the outbox: tells upstreams of tokens that must stop working, until they agree or a day has passed.
public struct DeliverRevocations: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Takes the revocations that are due, once and all together, so that one slow upstream holds up no other.
  public func callAsFunction() async throws {
    let now = here.clock.now()
    let due = try await here.store.write { try $0.takeDueRevocations(at: now, until: now + 60) }
    await withDiscardingTaskGroup { group in
      for (revocation, sealed) in due { group.addTask { await take(revocation, sealed, at: now) } }
    }
  }

  /// A failure of ours keeps no other revocation from being delivered; this one is due again when its lease ends.
  private func take(_ revocation: Revocation, _ sealed: Sealed, at now: Timestamp) async {
    do { try await attempt(revocation, sealed, at: now) } catch {
      here.log.error(
        "a revocation failed on our side",
        ["connection": .string(revocation.connection.text), "error": .string(String(describing: error))])
    }
  }

  private func attempt(_ revocation: Revocation, _ sealed: Sealed, at now: Timestamp) async throws {
    guard now < revocation.expiresAt else {
      here.log.error("a revocation was given up after a day", ["connection": .string(revocation.connection.text)])
      let reason = "given up: it was not confirmed within a day"
      let event = here.recording(.notRevoked(revocation.account, revocation.connection, at: now, reason))
      try await here.store.write { tx in
        guard try tx.deleteRevocation(revocation.id) else { return }
        try event(tx)
        try here.announce(
          .signOutIncomplete,
          WebhookFacts(account: revocation.account, connection: revocation.connection, reason: reason), tx, at: now)
      }
      return
    }
    guard let connection = try await here.store.read({ try $0.connection(revocation.connection) }) else { return }
    let tokens: UpstreamTokens
    do { tokens = try here.unseal(sealed, of: revocation, connection) } catch KeyFailure.notAuthentic {
      // Nobody can read the tokens any more, so trying again leads nowhere.
      here.log.error("a sealed revocation does not open", ["connection": .string(connection.id.text)])
      try await here.store.write { try $0.deleteRevocation(revocation.id) }
      return
    }
    do {
      _ = try await deliver(revocation.id, tokens, connection, account: revocation.account)
    } catch let failure as UpstreamFailure {
      let next = now + Revocation.delay(afterAttempts: revocation.attempts)
      here.log.warning(
        "an upstream did not revoke",
        ["connection": .string(connection.id.text), "why": .string(failure.text)])
      try await here.store.write { try $0.postpone(revocation.id, until: next) }
    }
  }

  /// Revokes within the person's patience; an upstream that needs longer is left to the outbox.
  func deliverNow(
    _ id: RevocationID, _ tokens: UpstreamTokens, _ connection: Connection, account: AccountID
  ) async throws -> RevocationOutcome {
    try await withThrowingTaskGroup(of: RevocationOutcome.self) { group in
      group.addTask { try await deliver(id, tokens, connection, account: account) }
      group.addTask {
        try await Task.sleep(for: .seconds(CloseCredential.patience))
        throw UpstreamFailure.transient("The upstream took longer than a person waits.", retryAfter: nil)
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }

  /// Revokes at the upstream, then destroys the outbox row with its copy of the tokens.
  func deliver(
    _ id: RevocationID, _ tokens: UpstreamTokens, _ connection: Connection, account: AccountID
  ) async throws -> RevocationOutcome {
    let registration = try await here.registration(for: connection, of: account)
    let outcome = try await here.upstreams.kind(of: connection).revoke(tokens, registration)
    let isRevoked = outcome == .revoked
    let told = here.recording(
      AuditEvent(
        isRevoked ? .upstreamRevoked : .upstreamNotRevoked, at: here.clock.now(), origin: .system, account: account,
        connection: connection.id, detail: isRevoked ? nil : "the upstream offers no revocation"))
    try await here.store.write { tx in
      if try tx.deleteRevocation(id) { try told(tx) }
    }
    return outcome
  }
}

extension AuditEvent {
  /// An upstream did not take back what it gave: the row of the disconnection, written before, cannot say so.
  static func notRevoked(
    _ account: AccountID, _ connection: ConnectionID, at now: Timestamp, _ detail: String
  ) -> AuditEvent {
    AuditEvent(
      .upstreamNotRevoked, .failure, at: now, origin: .system, account: account, connection: connection,
      detail: detail)
  }
}
