import Crypto
import Domain
import Logging
import SQL
import Storage
import Upstream

/// Keeps upstream tokens alive: one refresh per credential, in an order that a crash cannot break.
///
/// Lease and intent committed → the upstream asked → its sealed raw answer recorded → new tokens stored and the intent
/// cleared in one transaction → only then is anybody answered.
public struct RefreshCredentials: Sendable {
  let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Refreshes under way at once; each holds a place in the queue of writes, most of which stays for everybody else.
  private static let mostAtOnce = 512

  /// Carries out the refreshes that callers ask for, until the installation closes or the task is cancelled.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      for await wish in here.refreshes.requests {
        if running == Self.mostAtOnce { await group.next() } else { running += 1 }
        group.addTask { await settle(wish) }
      }
    }
    here.refreshes.abandon()
  }

  private func settle(_ wish: RefreshGate.Wish) async {
    let outcome: RefreshOutcome
    do {
      let ended = try await refresh(wish.id, insteadOf: wish.generation)
      // Another instance may have stored what the callers are to find.
      if here.store.isShared { try await here.followOthers() }
      outcome = ended
    } catch let failure as UpstreamFailure {
      outcome = .failed(failure)
    } catch {
      here.log.error(
        "a refresh failed on our side",
        ["credential": .string(wish.id.text), "error": .string(String(describing: error))])
      outcome = .failed(.transient("The refresh failed on our side.", retryAfter: nil))
    }
    here.refreshes.finish(wish.id, outcome, at: here.clock.now())
  }

  func refresh(_ id: CredentialID, insteadOf generation: Int64?) async throws -> RefreshOutcome {
    guard let held = try await find(id) else { return .gone }
    if let generation, held.standing == nil, held.credential.generation != generation { return held.outcome }
    guard let subject = try await open(held) else { return try await discard(held) }
    if held.standing != nil { return try await join(subject) }
    guard subject.credential.state == .active else { return held.outcome }
    guard subject.tokens.canRenew else {
      try await markReauthRequired(subject, nil, why: "expired, and nothing is kept to renew it with")
      return .reauthRequired
    }
    let connection = subject.connection.id
    if let refusal = here.breaker.refusal(of: connection, for: id, at: here.clock.now()) { return .failed(refusal) }
    let outcome = try await begin(subject)
    let isAlone = outcome.hasAnswered == false ? try await holdsAlone(connection) : false
    tell(here.breaker.note(outcome, of: connection, id, isAlone: isAlone, at: here.clock.now()), connection)
    return outcome
  }

  /// Whether one credential is all that anybody holds of the connection.
  private func holdsAlone(_ connection: ConnectionID) async throws -> Bool {
    try await here.store.read { try $0.openCredentials(at: connection, limit: 2).count < 2 }
  }

  private func tell(_ isSpared: Bool?, _ connection: ConnectionID) {
    guard let isSpared else { return }
    here.log.warning(
      isSpared ? "an upstream does not answer and is asked less often" : "an upstream answers again",
      ["connection": .string(connection.text)])
  }

  private func begin(_ subject: Subject) async throws -> RefreshOutcome {
    let id = subject.credential.id
    let attempt = RefreshAttempt(
      id: .random(), credential: id, generation: subject.credential.generation, posts: 1,
      leaseUntil: here.clock.now() + RefreshAttempt.lease, answer: nil)
    let sendBefore = Self.sendBefore()
    let room = try here.store.reserve()
    let isOurs = try await here.store.write(using: room) { tx in
      try tx.beginRefresh(attempt.id, of: id, generation: attempt.generation, leaseUntil: attempt.leaseUntil)
    }
    guard isOurs else { return try await join(subject) }
    return try await carryOut(Turn(attempt: attempt, room: room, sendBefore: sendBefore), subject)
  }

  /// The last instant at which a lease that begins now still outlasts the call.
  static func sendBefore() -> ContinuousClock.Instant {
    .now.advanced(by: .seconds(RefreshAttempt.lease - RefreshAttempt.minimumRemainingLease))
  }

  /// Another attempt stands: one that lost its holder is taken over, a live one is waited for.
  private func join(_ subject: Subject) async throws -> RefreshOutcome {
    for _ in 0...RefreshAttempt.lease {
      guard let held = try await find(subject.credential.id) else { return .gone }
      guard let standing = held.standing else {
        let isUnchanged =
          held.credential.state == .active && held.credential.generation == subject.credential.generation
        return isUnchanged
          ? .failed(.transient("Another refresh ended without a token.", retryAfter: nil, .unseen)) : held.outcome
      }
      if standing.leaseUntil <= here.clock.now() {
        // Opened anew: the attempt may be about newer tokens than those that were at hand before.
        guard let current = try await open(held) else { return try await discard(held) }
        if let outcome = try await recover(standing, current) { return outcome }
      } else {
        try await Task.sleep(for: .seconds(1))
      }
    }
    return .failed(.transient("Another instance is still refreshing this credential.", retryAfter: nil, .unseen))
  }

  /// Tokens that do not open any more, since they were tampered with or the connection's endpoints changed: nobody can
  /// refresh them, so only the person can mend the credential.
  private func discard(_ held: Held) async throws -> RefreshOutcome {
    let (credential, now) = (held.credential, here.clock.now())
    let failed = here.recording(
      AuditEvent(
        .decryptionFailed, .failure, at: now, origin: .system, account: credential.account,
        connection: credential.connection, detail: "the tokens of a credential do not open"))
    try await here.store.write { tx in
      if let standing = held.standing { try tx.endRefresh(standing) }
      if try tx.markReauthRequired(credential.id, generation: credential.generation) {
        try failed(tx)
        try here.tellBroken(credential, tx, at: now)
      }
      try tx.shredClosedCredential(credential.id)
    }
    return .reauthRequired
  }

  /// An attempt whose lease is ours.
  struct Turn: Sendable {
    let attempt: RefreshAttempt
    /// The place in the queue of writes that was set aside before the upstream was asked.
    let room: WriteReservation
    /// When the lease would no longer outlast the call, on a clock that counts suspension.
    let sendBefore: ContinuousClock.Instant
  }

  /// A credential as it stands in the store.
  private struct Held: Sendable {
    let credential: Credential
    let sealed: Sealed
    let connection: Connection
    let standing: RefreshAttempt?

    /// What it means for whoever wanted it refreshed and need not do it any more.
    var outcome: RefreshOutcome {
      switch credential.state {
      case .active: .refreshed
      case .reauthRequired: .reauthRequired
      case .closing: .gone
      }
    }
  }

  /// A credential with everything that a refresh of it needs.
  struct Subject: Sendable {
    let credential: Credential
    let connection: Connection
    let tokens: UpstreamTokens
    let registration: Registration
  }

  private func find(_ id: CredentialID) async throws -> Held? {
    try await here.store.read { tx in
      guard let (credential, sealed) = try tx.sealedCredential(id),
        let connection = try tx.connection(credential.connection)
      else { return nil }
      return Held(
        credential: credential, sealed: sealed, connection: connection, standing: try tx.refreshAttempt(of: id))
    }
  }

  /// Unseals the tokens; `nil` when they do not open.
  private func open(_ held: Held) async throws -> Subject? {
    let tokens: UpstreamTokens
    do {
      tokens = try here.unseal(held.sealed, of: held.credential, held.connection)
    } catch KeyFailure.notAuthentic {
      return nil
    }
    return Subject(
      credential: held.credential, connection: held.connection, tokens: tokens,
      registration: try await here.registration(for: held.connection, of: held.credential.account))
  }
}
