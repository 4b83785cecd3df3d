import Domain
import Logging
import Storage
import Upstream

extension RefreshCredentials {
  /// Asks the upstream under a lease that we hold, and settles what it answers.
  func carryOut(_ turn: Turn, _ subject: Subject) async throws -> RefreshOutcome {
    let attempt = turn.attempt
    Failpoint.refreshIntended.reach()
    let answer: UpstreamAnswer
    do {
      let request = RefreshRequest(
        tokens: subject.tokens, isRepeated: attempt.posts > 1, now: here.clock.now(), sendBefore: turn.sendBefore)
      answer = try await here.upstreams.kind(of: subject.connection).requestRefresh(request, subject.registration)
    } catch {
      return try await withoutAnswer(error, turn, subject)
    }
    Failpoint.refreshAnswered.reach()
    let sealed = try here.vault.seal(answer.sealable, in: place(of: attempt, subject.connection))
    let now = here.clock.now()
    guard try await here.store.write(using: turn.room, { try $0.recordAnswer(sealed, of: attempt.id, at: now) }) else {
      // The credential was replaced or deleted meanwhile; what came still has to be revoked.
      return try await apply(answer, turn, subject)
    }
    Failpoint.refreshRecorded.reach()
    return try await apply(answer, turn, subject)
  }

  /// No complete answer came: what was not sent may be tried later; what was sent may have taken effect.
  private func withoutAnswer(
    _ failure: UpstreamFailure, _ turn: Turn, _ subject: Subject
  ) async throws -> RefreshOutcome {
    let attempt = turn.attempt
    let text: String
    switch failure {
    // An answer too large to be one came after the request had its effect, like one that never came.
    case .ambiguous(let why), .invalidAnswer(let why): text = why
    case .refused, .misconfigured, .transient:
      try await here.store.write { try $0.endRefresh(attempt.id) }
      return .failed(failure)
    }
    if !subject.connection.kind.rotatesRefreshTokens {
      try await here.store.write { try $0.endRefresh(attempt.id) }
      return .failed(.transient(text, retryAfter: nil))
    }
    guard attempt.posts < RefreshAttempt.maximumPosts else {
      try await markReauthRequired(subject, turn, why: "no complete answer twice: the rotation is lost")
      return .reauthRequired
    }
    let now = here.clock.now()
    try await here.store.write { try $0.releaseLease(of: attempt.id, at: now) }
    guard let standing = try await here.store.read({ try $0.refreshAttempt(of: attempt.credential) }) else {
      return .gone
    }
    return try await recover(standing)
  }

  /// Takes over an attempt whose holder is gone: applies the answer it recorded, or asks once more.
  func recover(_ attempt: RefreshAttempt) async throws -> RefreshOutcome {
    guard let subject = try await load(attempt.credential) else { return .gone }
    let now = here.clock.now()
    let asksAgain = attempt.answer == nil && attempt.posts < RefreshAttempt.maximumPosts
    let posts = attempt.posts + (asksAgain ? 1 : 0)
    let lease = now + RefreshAttempt.lease
    let sendBefore = Self.sendBefore()
    let room = try here.store.reserve()
    guard
      try await here.store.write(using: room, { try $0.takeOver(attempt, posts: posts, leaseUntil: lease, at: now) })
    else {
      return .failed(.transient("Another instance took this refresh over.", retryAfter: nil))
    }
    let ours = Turn(
      attempt: RefreshAttempt(
        id: attempt.id, credential: attempt.credential, generation: attempt.generation, posts: posts,
        leaseUntil: lease, answer: attempt.answer),
      room: room, sendBefore: sendBefore)
    if let sealed = attempt.answer {
      let opened = try here.vault.open(sealed, in: place(of: attempt, subject.connection))
      return try await apply(UpstreamAnswer(unsealed: opened), ours, subject)
    }
    if asksAgain { return try await carryOut(ours, subject) }
    return try await withoutAnswer(.ambiguous("No complete answer was ever recorded."), ours, subject)
  }

  /// Turns a recorded answer into stored tokens, or into the state that it means.
  private func apply(
    _ answer: UpstreamAnswer, _ turn: Turn, _ subject: Subject
  ) async throws -> RefreshOutcome {
    do {
      let tokens = try await here.upstreams.kind(of: subject.connection).tokens(
        from: answer, replacing: subject.tokens, subject.registration)
      return try await keep(tokens, turn, subject)
    } catch let failure as UpstreamFailure {
      switch failure {
      case .refused(let text):
        try await markReauthRequired(subject, turn, why: text)
        return .reauthRequired
      case .misconfigured, .transient, .ambiguous, .invalidAnswer:
        here.log.warning(
          "an upstream did not refresh a credential",
          ["connection": .string(subject.connection.id.text), "why": .string(failure.text)])
        try await here.store.write(using: turn.room) { try $0.endRefresh(turn.attempt.id) }
        return .failed(failure)
      }
    }
  }

  /// Stores new tokens; those of a credential that is being signed out go to the outbox instead.
  private func keep(
    _ tokens: UpstreamTokens, _ turn: Turn, _ subject: Subject
  ) async throws -> RefreshOutcome {
    let (attempt, credential, connection) = (turn.attempt, subject.credential, subject.connection)
    let now = here.clock.now()
    let sealed = try here.seal(tokens, of: credential.id, credential.account, connection)
    let revocation = Revocation(
      id: .random(), account: credential.account, connection: connection.id, attempts: 0, nextAttemptAt: now,
      expiresAt: now + Revocation.lifetime)
    let orphan = try here.seal(tokens, for: revocation, connection)
    let refreshed = here.recording(
      AuditEvent(
        .upstreamRefreshed, at: now, origin: .system, account: credential.account, connection: connection.id))
    let isKept = try await here.store.write(using: turn.room) { tx in
      try tx.endRefresh(attempt.id)
      let isKept = try tx.replaceTokens(
        of: credential.id, generation: attempt.generation, with: sealed, TokenExpiry(tokens), at: now)
      if isKept {
        try refreshed(tx)
      } else {
        try tx.insert(revocation, tokens: orphan)
        try tx.shredClosedCredential(credential.id)
      }
      return isKept
    }
    Failpoint.refreshApplied.reach()
    return isKept ? .refreshed : .gone
  }

  func markReauthRequired(_ subject: Subject, _ turn: Turn?, why: String) async throws {
    let credential = subject.credential
    let failed = here.recording(
      AuditEvent(
        .upstreamRefreshFailed, .failure, at: here.clock.now(), origin: .system, account: credential.account,
        connection: credential.connection, detail: String(why.prefix(200))))
    try await here.store.write { tx in
      if let turn { try tx.endRefresh(turn.attempt.id) }
      if try tx.markReauthRequired(credential.id, generation: credential.generation) { try failed(tx) }
    }
  }

  private func place(of attempt: RefreshAttempt, _ connection: Connection) -> SealContext {
    SealContext(
      table: "refresh_attempt", column: "answer", row: attempt.id.text,
      binding: "\(connection.id) \(connection.origin) \(connection.clientID) \(connection.revision)")
  }
}
