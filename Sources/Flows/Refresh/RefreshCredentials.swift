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

  /// Carries out the refreshes that callers ask for, until the installation closes.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for await id in here.refreshes.requests { group.addTask { await settle(id) } }
    }
  }

  private func settle(_ id: CredentialID) async {
    let outcome: RefreshOutcome
    do {
      outcome = try await refresh(id)
    } catch {
      here.log.error(
        "a refresh failed on our side", ["credential": .string(id.text), "error": .string(String(describing: error))])
      outcome = .failed(.transient("The refresh failed on our side.", retryAfter: nil))
    }
    here.refreshes.finish(id, outcome, at: here.clock.now())
  }

  private func refresh(_ id: CredentialID) async throws -> RefreshOutcome {
    guard let subject = try await load(id), subject.credential.state == .active else { return .gone }
    guard subject.tokens.refreshToken != nil else { return try await expire(subject) }
    let now = here.clock.now()
    let attempt = RefreshAttempt(
      id: .random(), credential: id, generation: subject.credential.generation, posts: 1,
      leaseUntil: now + RefreshAttempt.lease, answer: nil)
    let sendBefore = Self.sendBefore()
    let room = try here.store.reserve()
    let isOurs = try await here.store.write(using: room) { tx in
      try tx.beginRefresh(
        attempt.id, of: id, generation: attempt.generation, leaseUntil: attempt.leaseUntil)
    }
    if isOurs { return try await carryOut(Turn(attempt: attempt, room: room, sendBefore: sendBefore), subject) }
    return try await joinStanding(id)
  }

  /// The last instant at which a lease that begins now still outlasts the call.
  static func sendBefore() -> ContinuousClock.Instant {
    .now.advanced(by: .seconds(RefreshAttempt.lease - RefreshAttempt.minimumRemainingLease))
  }

  /// Another attempt stands: one that lost its holder is taken over, a live one is waited for.
  private func joinStanding(_ id: CredentialID) async throws -> RefreshOutcome {
    for _ in 0..<RefreshAttempt.lease {
      guard let standing = try await here.store.read({ try $0.refreshAttempt(of: id) }) else {
        guard let subject = try await load(id) else { return .gone }
        return subject.credential.state == .active ? .refreshed : .reauthRequired
      }
      if standing.leaseUntil <= here.clock.now() { return try await recover(standing) }
      try await Task.sleep(for: .seconds(1))
    }
    return .failed(.transient("Another instance is still refreshing this credential.", retryAfter: nil))
  }

  /// A token without a refresh token that has run out.
  private func expire(_ subject: Subject) async throws -> RefreshOutcome {
    try await markReauthRequired(subject, nil, why: "expired, and the upstream gave no refresh token")
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

  /// A credential with everything that a refresh of it needs.
  struct Subject: Sendable {
    let credential: Credential
    let connection: Connection
    let tokens: UpstreamTokens
    let registration: Registration
  }

  func load(_ id: CredentialID) async throws -> Subject? {
    let found = try await here.store.read { tx -> (Credential, Sealed, Connection)? in
      guard let (credential, sealed) = try tx.sealedCredential(id) else { return nil }
      return try tx.connection(credential.connection).map { (credential, sealed, $0) }
    }
    guard let (credential, sealed, connection) = found else { return nil }
    return Subject(
      credential: credential, connection: connection, tokens: try here.unseal(sealed, of: credential, connection),
      registration: try await here.registration(for: connection))
  }
}
