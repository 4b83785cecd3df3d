import Domain
import Logging
import Storage
import Upstream

/// Ends one credential: marked and put into the outbox first, then revoked upstream, and shredded last.
struct CloseCredential: Sendable {
  let here: Installation

  /// Seconds that a person waits for an upstream, which is also how long a call may take; then the outbox goes on.
  static let patience: Int64 = 10

  struct Closing: Sendable {
    let credential: Credential
    let connection: Connection
    /// `nil` when the tokens do not open any more, so that there is nothing to revoke.
    let tokens: UpstreamTokens?
    let revocation: RevocationID
    let serverTokensEndAt: Timestamp?
  }

  /// Marks the credential, ends what apps can do with it, and fills the outbox, all in the caller's transaction.
  func begin(_ credential: Credential, _ tx: Transaction, _ visitor: Visitor, at now: Timestamp) throws -> Closing? {
    guard let connection = try tx.connection(credential.connection),
      let (closed, sealed) = try tx.closeCredential(credential.id, of: credential.account)
    else { return nil }
    // The outbox waits until the person's own request has had its chance, then takes over by itself.
    let revocation = Revocation(
      id: .random(), account: closed.account, connection: connection.id, attempts: 0,
      nextAttemptAt: now + Self.patience + 5, expiresAt: now + Revocation.lifetime)
    let tokens = try readable(sealed, closed, connection)
    // What cannot be cancelled is not to be copied either.
    if let tokens, connection.kind.canRevoke || tokens.canCancelKeys {
      try tx.insert(revocation, tokens: here.seal(tokens, for: revocation, connection))
    }
    try here.recording(
      AuditEvent(
        .disconnected, at: now, origin: visitor.origin, account: closed.account, connection: connection.id,
        detail: tokens == nil ? "the upstream cannot be told: the tokens do not open" : nil))(tx)
    return Closing(
      credential: closed, connection: connection, tokens: tokens, revocation: revocation.id,
      serverTokensEndAt: try tx.serverTokensEnd(of: closed.id))
  }

  private func readable(_ sealed: Sealed, _ credential: Credential, _ connection: Connection) throws -> UpstreamTokens?
  {
    do {
      return try here.unseal(sealed, of: credential, connection)
    } catch KeyFailure.notAuthentic {
      here.log.error("a sealed credential does not open", ["credential": .string(credential.id.text)])
      return nil
    }
  }

  /// Tells the upstream, shreds the credential, and says what became of it.
  func finish(_ closing: Closing, at now: Timestamp) async throws -> SignOutItem {
    let outcome = try await outcome(of: closing)
    try await here.store.write { try $0.shredClosedCredential(closing.credential.id) }
    Failpoint.signOutDeleted.reach()
    let url = await here.signOutURL(of: closing.connection, tokens: closing.tokens)
    let layer =
      outcome == .retrying
      ? try await here.missingLayer(before: closing.connection, of: closing.credential.account) : nil
    return SignOutItem(
      connection: closing.connection.id, connectionName: closing.connection.name, host: closing.connection.host,
      displayName: closing.credential.identity.displayName, outcome: outcome,
      accessExpiresAt: closing.credential.accessExpiresAt, serverTokensEndAt: closing.serverTokensEndAt,
      upstreamSignOutURL: url, missingLayer: layer)
  }

  private func outcome(of closing: Closing) async throws -> SignOutItem.Outcome {
    guard !closing.connection.kind.isNetwork else {
      here.upstreams.closeConnections(of: closing.credential.id)
      return .forgotten
    }
    guard let tokens = closing.tokens else { return .deleted }
    do {
      let result = try await DeliverRevocations(here).deliverNow(
        closing.revocation, tokens, closing.connection, account: closing.credential.account)
      Failpoint.signOutRevoked.reach()
      return result == .revoked ? .revoked : .deleted
    } catch let failure as UpstreamFailure {
      here.log.warning(
        "an upstream did not revoke at sign-out; it is asked again",
        ["connection": .string(closing.connection.id.text), "why": .string(failure.text)])
      let (account, connection, now) = (closing.credential.account, closing.connection.id, here.clock.now())
      let reason = "not confirmed yet; it is asked again for a day at most"
      try await here.store.write { tx in
        try tx.insert(.notRevoked(account, connection, at: now, reason))
        try here.announce(
          .signOutIncomplete, WebhookFacts(account: account, connection: connection, reason: reason), tx, at: now)
      }
      return .retrying
    }
  }
}

extension Installation {
  /// Makes what was just deleted unreadable in the database's files too.
  ///
  /// A failure undoes nothing and fails nobody's sign-out: the next checkpoint does the same.
  func shred() async {
    do { try await store.shredCheckpoint() } catch {
      log.warning("deleted values may still stand in the database's log", ["error": .string(String(describing: error))])
    }
  }

  /// The upstream's own sign-out page, when it has one.
  func signOutURL(of connection: Connection, tokens: UpstreamTokens?) async -> String? {
    await upstreams.kind(of: connection).signOutURL(
      publicRegistration(for: connection), tokens: tokens, returnTo: "\(issuer)/signed-out")
  }
}
