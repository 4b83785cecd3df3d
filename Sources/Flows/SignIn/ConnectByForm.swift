import Crypto
public import Domain
import Logging
import Storage
import Upstream

/// Connects a service with what the person typed into a form of ours.
///
/// Only for somebody who is signed in here, and with few enough tries that the upstream does not lock the account.
public struct ConnectByForm: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What was typed.
  public struct Entry: Sendable {
    let typed: TypedCredential
    /// The mark of the identity that may take the place of another (``CompleteSignIn/Replacement``).
    let replacement: String?
    let keeping: Keeping
    let returnPath: String

    public init(_ typed: TypedCredential, replacement: String?, keeping: Keeping, returnPath: String) {
      self.keeping = keeping
      self.typed = typed
      self.replacement = replacement
      self.returnPath = returnPath
    }
  }

  public enum Outcome: Sendable {
    /// The upstream took what was typed; as after a trip to its own page.
    case settled(CompleteSignIn.Outcome)
    case failed(ConnectFailure)
    /// So many wrong passwords were typed that nothing was passed on.
    case wait(LockoutGuard.Pause)
  }

  /// - Throws: `Refusal` when the connection is not connected by a form.
  public func callAsFunction(
    _ entry: Entry, at connection: Connection, for person: SignedIn, _ visitor: Visitor
  ) async throws -> Outcome {
    guard connection.kind.connectsByForm else {
      throw Refusal(.invalidRequest, "\(connection.name) is connected on its own sign-in page, not by a form.")
    }
    let now = here.clock.now()
    let one = entry.passwordTry(at: connection, by: person.account.id, now)
    guard here.formTurns.begin(person.account.id) else {
      throw Refusal(
        .slowDown, "Something that you typed in another window is still being tried. Wait for it, then try again.",
        retryAfter: 10)
    }
    defer { here.formTurns.end(person.account.id) }
    if let one, let pause = try await begin(one) { return .wait(pause) }
    do {
      let registration = try await here.registration(for: connection, of: person.account.id)
      let upstream = try await here.upstreams.formKind(of: connection).connect(
        entry.typed, referer: here.issuer, registration, now: now)
      if let one { try await here.store.write { try $0.forgivePasswordTries(like: one) } }
      let arrival = Arrival(
        here: here, registration: registration, attempt: Self.attempt(entry, connection, person, at: now),
        upstream: upstream, held: nil, replacement: entry.replacement, keeping: entry.keeping, now: here.clock.now())
      let before = try await here.store.read { try $0.credential(of: person.account.id, for: connection.id) }
      let outcome = try await arrival.settle(person, visitor)
      if let before, connection.kind.isNetwork, case .connected = outcome {
        here.upstreams.closeConnections(of: before.id)
      }
      return .settled(outcome)
    } catch let failure as ConnectFailure {
      try await note(failure, of: one, at: connection.id, person, visitor)
      return .failed(try await explained(failure, at: connection, person))
    } catch let failure as UpstreamFailure {
      try await note(.upstream(failure), of: one, at: connection.id, person, visitor)
      return .failed(try await explained(.upstream(failure), at: connection, person))
    }
  }

  /// What to tell the person: where a layer in front may have answered, that they hold nothing for it.
  private func explained(
    _ failure: ConnectFailure, at connection: Connection, _ person: SignedIn
  ) async throws -> ConnectFailure {
    guard case .upstream = failure,
      let layer = try await here.missingLayer(before: connection, of: person.account.id)
    else { return failure }
    return .layerMissing(layer.name)
  }

  /// Counts a try before it leaves, so that tries sent all at once are not free; why it is not made if it has to wait.
  private func begin(_ one: PasswordTry) async throws -> LockoutGuard.Pause? {
    try await here.store.write { tx in
      let like = try tx.passwordTries(like: one)
      let elsewhere = try tx.passwordTries(of: one.account)
      let pause = LockoutGuard.pause(after: like.all, own: like.own, elsewhere: elsewhere, at: one.at)
      if let pause { return pause }
      try tx.insert(one)
      return nil
    }
  }

  private func note(
    _ failure: ConnectFailure, of one: PasswordTry?, at connection: ConnectionID, _ person: SignedIn,
    _ visitor: Visitor
  ) async throws {
    here.log.warning(
      "a service was not connected by its form",
      ["connection": .string(connection.text), "why": .string(failure.text)])
    let failed = here.recording(
      AuditEvent(
        .connectFailed, .failure, at: here.clock.now(), origin: visitor.origin, account: person.account.id,
        connection: connection, detail: failure.word))
    try await here.store.write { tx in
      if let one, failure.provesPassword {
        try tx.forgivePasswordTries(like: one)
      } else if let one, failure.countsNothing {
        try tx.takeBack(one)
      }
      try failed(tx)
    }
  }

  /// A trip that went nowhere and needs no row: nobody comes back from it.
  private static func attempt(
    _ entry: Entry, _ connection: Connection, _ person: SignedIn, at now: Timestamp
  ) -> SignInAttempt {
    SignInAttempt(
      stateHash: NewToken().hash, browser: NewToken().hash, connection: connection.id,
      connectionRevision: connection.revision, purpose: .connect(person.account.id),
      returnPath: ReturnPath.checked(entry.returnPath), expiresAt: now + SignInAttempt.lifetime)
  }
}

extension ConnectByForm.Entry {
  /// The try that it is; `nil` without a password, which nobody can guess.
  fileprivate func passwordTry(at connection: Connection, by account: AccountID, _ now: Timestamp) -> PasswordTry? {
    let username: String
    switch typed {
    case .login(let login, _): username = login.username
    // A realm counts an old key as it counts a wrong password.
    case .keytab(let keytab): username = keytab.principal
    case .token, .certificate: return nil
    }
    // A directory takes many forms of a name, and counts them as one.
    let folded = connection.kind.isNetwork ? FoldedUsername(inDirectory: username) : FoldedUsername(username)
    return PasswordTry(
      id: .random(), connection: connection.id, username: TokenHash(of: folded.text), account: account, at: now)
  }
}

extension ConnectFailure {
  /// For the audit: a fixed word.
  fileprivate var word: String {
    switch self {
    case .wrongPassword: "wrong password"
    case .unproven: "password not judged"
    case .accountLocked: "account locked"
    case .needsOAuth: "needs OAuth"
    case .freshTokenRefused: "token refused"
    case .certificate(let problem): problem.word
    case .kerberos(let problem): problem.word
    case .layerMissing, .upstream: "no usable answer"
    }
  }
}
