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
      here.log.warning(
        "an upstream could not be asked for a refresh",
        ["connection": .string(subject.connection.id.text), "why": .string(failure.text)])
      try await notSent(turn, subject)
      return .failed(failure)
    }
    guard subject.connection.kind.rotatesRefreshTokens, attempt.posts < RefreshAttempt.maximumPosts else {
      return try await lose(text, turn, subject)
    }
    let now = here.clock.now()
    try await here.store.write { try $0.releaseLease(of: attempt, posts: attempt.posts, at: now) }
    guard let standing = try await here.store.read({ try $0.refreshAttempt(of: attempt.credential) }) else {
      return .gone
    }
    return try await recover(standing, subject)
      ?? .failed(.transient("Another instance took this refresh over.", retryAfter: nil, .unseen))
  }

  /// Nothing left this time.
  ///
  /// If something did before, the attempt goes on standing, so that the one repetition which is allowed stays one.
  private func notSent(_ turn: Turn, _ subject: Subject) async throws {
    let (attempt, now) = (turn.attempt, here.clock.now())
    guard subject.connection.kind.rotatesRefreshTokens, attempt.posts > 1 else { return try await end(turn) }
    try await here.store.write { try $0.releaseLease(of: attempt, posts: attempt.posts - 1, at: now) }
  }

  /// The upstream's answer will never be known: a rotated refresh token is lost with it, another one is still good.
  private func lose(_ why: String, _ turn: Turn, _ subject: Subject) async throws -> RefreshOutcome {
    here.log.warning(
      "an upstream's answer to a refresh is lost",
      ["connection": .string(subject.connection.id.text), "why": .string(why)])
    if subject.connection.kind.rotatesRefreshTokens {
      try await markReauthRequired(subject, turn, why: "lost rotation: \(why)")
      return .reauthRequired
    }
    try await end(turn)
    let pause = subject.tokens.login == nil ? nil : LockoutGuard.pauseAfterLostAnswer
    return .failed(.transient(why, retryAfter: pause, .down))
  }

  /// Takes over an attempt whose holder is gone: applies the answer it recorded, or asks once more; `nil` when somebody
  /// else took it over first.
  func recover(_ attempt: RefreshAttempt, _ subject: Subject) async throws -> RefreshOutcome? {
    let isWanted = subject.credential.state == .active
    let asksAgain = isWanted && attempt.answer == nil && attempt.posts < RefreshAttempt.maximumPosts
    let now = here.clock.now()
    let ours = RefreshAttempt(
      id: attempt.id, credential: attempt.credential, generation: attempt.generation,
      posts: attempt.posts + (asksAgain ? 1 : 0), leaseUntil: now + RefreshAttempt.lease, answer: attempt.answer)
    let sendBefore = Self.sendBefore()
    let room = try here.store.reserve()
    let isOurs = try await here.store.write(using: room) { tx in
      try tx.takeOver(attempt, posts: ours.posts, leaseUntil: ours.leaseUntil, at: now)
    }
    guard isOurs else { return nil }
    let turn = Turn(attempt: ours, room: room, sendBefore: sendBefore)
    if let sealed = attempt.answer { return try await applyRecorded(sealed, turn, subject) }
    if asksAgain { return try await carryOut(turn, subject) }
    return try await lose("no complete answer was ever recorded", turn, subject)
  }

  private func applyRecorded(_ sealed: Sealed, _ turn: Turn, _ subject: Subject) async throws -> RefreshOutcome {
    let answer: UpstreamAnswer
    do {
      answer = try UpstreamAnswer(unsealed: here.vault.open(sealed, in: place(of: turn.attempt, subject.connection)))
    } catch KeyFailure.notAuthentic {
      return try await lose("the recorded answer does not open", turn, subject)
    }
    return try await apply(answer, turn, subject)
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
        try await end(turn)
        return .failed(failure)
      }
    }
  }

  /// What became of the new tokens.
  private enum Kept {
    case stored
    /// Newer ones of the same credential stand; they may share the refresh token, and revoking these would end both.
    case superseded
    /// The credential is gone or being signed out: they go to the outbox.
    case orphaned
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
    let kept: Kept = try await here.store.write(using: turn.room) { tx in
      try tx.endRefresh(attempt)
      if try tx.replaceTokens(
        of: credential.id, generation: attempt.generation, with: sealed, TokenExpiry(tokens), at: now)
      {
        try refreshed(tx)
        if try tx.noteRecovered(credential.id) {
          try here.tellRecovered(credential.account, connection.id, tx, at: now)
        }
        return .stored
      }
      if try tx.sealedCredential(credential.id)?.0.state == .active { return .superseded }
      try tx.insert(revocation, tokens: orphan)
      try tx.shredClosedCredential(credential.id)
      return .orphaned
    }
    Failpoint.refreshApplied.reach()
    return kept == .orphaned ? .gone : .refreshed
  }

  /// Ends an attempt that brought nothing; a sign-out may have waited for it.
  private func end(_ turn: Turn) async throws {
    let attempt = turn.attempt
    try await here.store.write(using: turn.room) { tx in
      try tx.endRefresh(attempt)
      try tx.shredClosedCredential(attempt.credential)
    }
  }

  func markReauthRequired(_ subject: Subject, _ turn: Turn?, why: String) async throws {
    let credential = subject.credential
    let now = here.clock.now()
    let failed = here.recording(
      AuditEvent(
        .upstreamRefreshFailed, .failure, at: now, origin: .system, account: credential.account,
        connection: credential.connection, detail: String(why.prefix(200))))
    try await here.store.write { tx in
      if let turn { try tx.endRefresh(turn.attempt) }
      if try tx.markReauthRequired(credential.id, generation: credential.generation) {
        try failed(tx)
        try here.tellBroken(credential, tx, at: now)
      }
      try tx.shredClosedCredential(credential.id)
    }
  }

  /// Where the recorded answer of an attempt belongs.
  func place(of attempt: RefreshAttempt, _ connection: Connection) -> SealContext {
    SealContext(
      table: "refresh_attempt", column: "answer", row: attempt.id.text,
      binding: "\(connection.id) \(connection.origin) \(connection.clientID) \(connection.revision)")
  }
}
