import Crypto
public import Domain
import Storage
import WebAuthn

/// Finishes a sign-in by a second factor: a code of an authenticator app, one on paper, or a passkey.
public struct ProveSecondFactor: Sendable {
  private let here: Installation
  private let throttle = SignInThrottle()

  public init(_ here: Installation) { self.here = here }

  public enum Proof: Sendable {
    case appCode(String)
    case recoveryCode(String)
    case passkey(PasskeyAnswer, browser: TokenHash)
  }

  public struct Attempt: Sendable {
    let pending: PendingSignIn
    let proof: Proof
    let deviceToken: String?
    let formerSession: String?

    /// The tokens are those of ``SignInLocally/Attempt``.
    public init(_ pending: PendingSignIn, _ proof: Proof, deviceToken: String?, formerSession: String?) {
      self.pending = pending
      self.proof = proof
      self.deviceToken = deviceToken
      self.formerSession = formerSession
    }
  }

  public enum Outcome: Sendable {
    case signedIn(NewSession, deviceToken: Secret)
    /// Not the code of now, or one that was taken before.
    case wrong
    case wait(seconds: Int64)
    /// The password has to be typed again.
    case tooLate
  }

  /// What the account can prove itself with.
  public func factors(for pending: PendingSignIn) async throws -> SecondFactors {
    try await here.store.read { try $0.secondFactors(of: pending.account) }
  }

  /// What a browser needs to ask for a passkey of the account; `nil` when it has none.
  public func passkeyOptions(
    for pending: PendingSignIn, in browser: TokenHash
  ) async throws -> SignInByPasskey.Options? {
    let passkeys = try await here.store.read { try $0.passkeys(of: pending.account) }
    guard let party = here.relyingParty, !passkeys.isEmpty else { return nil }
    return SignInByPasskey.Options(
      challenge: here.newChallenge(for: .secondFactor(pending.account, browser: browser)), relyingParty: party.id,
      known: passkeys.map { Base64URL.encode($0.credential) })
  }

  public func callAsFunction(_ attempt: Attempt, _ visitor: Visitor) async throws -> Outcome {
    let (now, id) = (here.clock.now(), attempt.pending.account)
    let found = try await here.store.read { tx in
      try tx.account(id).map { ($0, try tx.password(of: id), try tx.authenticator(of: id)) }
    }
    guard let (account, password, authenticator) = found, let password, isStanding(attempt.pending, account, password)
    else { return .tooLate }
    let isKnown = attempt.deviceToken.map { here.isDeviceToken($0, for: id, password) } ?? false
    // A device that signed in before is counted by itself, so that strangers with the password cannot lock it out.
    let network = isKnown ? "known device" : visitor.network
    // Only codes so short that somebody may hit on one are counted over all networks.
    let isCounted = if case .appCode = attempt.proof { !isKnown } else { false }
    if let seconds = wait(for: id, isCounted: isCounted, network, at: now) { return .wait(seconds: seconds) }
    let secret = try authenticator.flatMap { $0.confirmedAt == nil ? nil : try here.open($0) }
    guard let use = try await use(of: attempt.proof, of: id, secret, at: now),
      let session = try await begin(attempt, account, password, use, visitor, at: now)
    else {
      here.store.submit(
        AuditEvent(.secondFactorFailed, .failure, at: now, origin: visitor.origin, account: id))
      return .wrong
    }
    throttle.forgive(id.text, from: network)
    if isCounted { here.secondFactorTries.giveBack(id.text, at: now) }
    return .signedIn(session, deviceToken: here.deviceToken(for: id, password))
  }

  private func isStanding(_ pending: PendingSignIn, _ account: Account, _ password: StoredPassword) -> Bool {
    !account.isDisabled && pending.passwordChangedAt == password.changedAt
      && (pending.kind == .person || account.role == .administrator)
  }

  private func wait(for id: AccountID, isCounted: Bool, _ network: String, at now: Timestamp) -> Int64? {
    if let seconds = throttle.begin(id.text, from: network, at: now) { return seconds }
    return isCounted ? here.secondFactorTries.take(id.text, at: now) : nil
  }

  /// What uses up a proof inside the transaction that believes it; `nil` for one that is wrong already.
  private func use(of proof: Proof, of id: AccountID, _ secret: Secret?, at now: Timestamp) async throws -> Use? {
    switch proof {
    case .appCode(let typed):
      guard let secret, let step = TimeBasedCode.step(of: typed.onlyDigits, secret.revealed, at: now.seconds) else {
        return nil
      }
      return Use(methods: [.password, .oneTimeCode, .multipleFactors], detail: "authenticator app") {
        try $0.takeStep(step, of: $1)
      }
    case .recoveryCode(let typed):
      guard let mac = RecoveryCode(typed: typed).map(here.mac(of:)) else { return nil }
      return Use(methods: [.password, .multipleFactors], detail: "recovery code") {
        try $0.consumeRecoveryCode(mac, of: $1)
      }
    case .passkey(let answer, let browser):
      guard
        let proof = try await here.proof(
          of: answer, for: .secondFactor(id, browser: browser), needsVerification: false),
        proof.passkey.account == id
      else { return nil }
      return Use(
        methods: [.password, proof.passkey.method, .userPresence, .multipleFactors], detail: "passkey"
      ) { tx, _ in try proof.isTaken(tx, at: now) }
    }
  }

  private struct Use: Sendable {
    let methods: [AuthenticationMethods.Method]
    let detail: String
    let isTaken: @Sendable (Transaction, AccountID) throws -> Bool
  }

  /// `nil` when the proof was used before, or the account changed meanwhile.
  private func begin(
    _ attempt: Attempt, _ account: Account, _ password: StoredPassword, _ use: Use, _ visitor: Visitor,
    at now: Timestamp
  ) async throws -> NewSession? {
    let kind = attempt.pending.kind
    let (session, insert) = here.beginning(
      kind, of: account, by: AuthenticationMethods(use.methods), visitor, at: now)
    let signedIn = here.recording(
      AuditEvent(
        .signInSucceeded, at: now, origin: visitor.origin, account: account.id,
        detail: "\(kind.rawValue), \(use.detail)"))
    let isOnPaper = if case .recoveryCode = attempt.proof { true } else { false }
    let news = here.telling(.recoveryCodeUsed, account.id, visitor.facts, at: now)
    let former = attempt.formerSession.map(TokenHash.init(of:))
    let isIn = try await here.store.write { tx in
      guard let current = try tx.account(account.id), let stored = try tx.password(of: account.id),
        isStanding(attempt.pending, current, stored), try use.isTaken(tx, account.id)
      else { return false }
      try insert(tx)
      if let former { try tx.end(former, succeededBy: session.hash, of: account.id) }
      try signedIn(tx)
      if isOnPaper { try news(tx) }
      return true
    }
    return isIn ? session : nil
  }
}

extension Quota {
  /// Wrong second factors of one account from devices that never signed in to it: with three codes that count at a time,
  /// twenty an hour are right once in two years.
  static func ofSecondFactors() -> Quota { Quota(each: 20, inAll: 10_000, window: 60 * 60) }
}
