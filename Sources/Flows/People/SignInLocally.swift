import Crypto
public import Domain
import Storage

/// Signs a person in with the user name and password of a local account.
public struct SignInLocally: Sendable {
  private let here: Installation
  private let throttle = SignInThrottle()

  public init(_ here: Installation) { self.here = here }

  public struct Attempt: Sendable {
    let username: String
    let password: Secret
    let kind: BrowserSession.Kind
    /// The value of the cookie that an earlier sign-in left, if any.
    let deviceToken: String?
    /// The session cookie of the same kind that the browser has, whose session ends.
    let formerSession: String?
    /// The hash of the browser's own cookie, in which the second factor has to follow.
    let browser: TokenHash

    public init(
      username: String, password: Secret, kind: BrowserSession.Kind, deviceToken: String?, formerSession: String? = nil,
      browser: TokenHash
    ) {
      self.browser = browser
      self.username = Username.folded(username)
      self.password = password
      self.kind = kind
      self.deviceToken = deviceToken
      self.formerSession = formerSession
    }
  }

  public enum Outcome: Sendable {
    case signedIn(NewSession, deviceToken: Secret)
    /// The password was right, and the account asks for more; the token names the sign-in that waits.
    case needsSecondFactor(token: Secret)
    /// Unknown, disabled, wrong password or not an administrator: nobody learns which.
    case wrong
    case wait(seconds: Int64)
  }

  public func callAsFunction(_ attempt: Attempt, _ visitor: Visitor) async throws -> Outcome {
    let now = here.clock.now()
    let found = try await here.store.read { tx in
      try tx.account(username: attempt.username).map { ($0, try tx.password(of: $0.id)) }
    }
    let known = isKnown(attempt, found)
    if let delay = throttle.begin(attempt.username, from: visitor.network, at: now), !known {
      return .wait(seconds: delay)
    }
    guard try await matches(attempt, found?.1?.hash, isKnownDevice: known, visitor), let (account, stored) = found,
      let stored, mayEnter(account, attempt.kind)
    else {
      noteFailure(found?.0, visitor, at: now)
      return .wrong
    }
    throttle.forgive(attempt.username, from: visitor.network)
    let factors = try await here.store.read { try $0.secondFactors(of: account.id) }
    if factors.areOn {
      let pending = PendingSignIn(account.id, attempt.kind, stored, at: now)
      return .needsSecondFactor(token: here.token(for: pending, browser: attempt.browser))
    }
    guard let session = try await begin(attempt, account, stored, visitor, at: now) else { return .wrong }
    try await rehashIfNeeded(stored.hash, of: account, attempt.password, visitor)
    return .signedIn(session, deviceToken: here.deviceToken(for: account.id, stored))
  }

  /// Whether the password is right; one that no account can have is hashed all the same.
  private func matches(
    _ attempt: Attempt, _ hash: String?, isKnownDevice: Bool, _ visitor: Visitor
  ) async throws -> Bool {
    let password = attempt.password.revealed.count > LocalPassword.maximumBytes ? Secret("") : attempt.password
    do {
      return try await here.passwords.matches(password, hash, for: visitor.network, isKnownDevice: isKnownDevice)
    } catch {
      // Nothing was checked, so nothing was guessed.
      throttle.takeBack(attempt.username, from: visitor.network)
      throw error
    }
  }

  private func mayEnter(_ account: Account, _ kind: BrowserSession.Kind) -> Bool {
    !account.isDisabled && (kind == .person || account.role == .administrator)
  }

  private func isKnown(_ attempt: Attempt, _ found: (account: Account, password: StoredPassword?)?) -> Bool {
    guard let token = attempt.deviceToken, let found, let password = found.password else { return false }
    return here.isDeviceToken(token, for: found.account.id, password)
  }

  /// `nil` when the account was disabled, or got a second factor or another password, while its password was checked.
  private func begin(
    _ attempt: Attempt, _ account: Account, _ password: StoredPassword, _ visitor: Visitor, at now: Timestamp
  ) async throws -> NewSession? {
    let (session, insert) = here.beginning(attempt.kind, of: account, by: .password, visitor, at: now)
    let event = here.recording(
      AuditEvent(
        .signInSucceeded, at: now, origin: visitor.origin, account: account.id, detail: attempt.kind.rawValue))
    let former = attempt.formerSession.map(TokenHash.init(of:))
    let isIn = try await here.store.write { tx in
      guard let current = try tx.account(account.id), mayEnter(current, attempt.kind),
        try tx.password(of: account.id)?.changedAt == password.changedAt, try !tx.secondFactors(of: account.id).areOn
      else { return false }
      try insert(tx)
      if let former { try tx.end(former, succeededBy: session.hash, of: account.id) }
      try event(tx)
      return true
    }
    return isIn ? session : nil
  }

  /// Writes down a wrong password, without anybody waiting for it: the time would tell whether the account exists.
  ///
  /// Unknown names are not written down: people type passwords there by mistake.
  private func noteFailure(_ account: Account?, _ visitor: Visitor, at now: Timestamp) {
    guard let account else { return }
    let event = AuditEvent(.signInFailed, .failure, at: now, origin: visitor.origin, account: account.id)
    here.store.submit(event)
  }

  private func rehashIfNeeded(
    _ hash: String, of account: Account, _ password: Secret, _ visitor: Visitor
  ) async throws {
    guard try here.passwords.needsRehash(hash) else { return }
    let fresh = try await here.passwords.hash(password, for: visitor.network)
    try await here.store.write { try $0.rehashPassword(fresh, of: account.id, insteadOf: hash) }
  }
}

extension Installation {
  /// The value of the cookie that tells a device which has signed in before from a stranger.
  ///
  /// It ends with the password: whoever learnt that, and was signed in with it, is a stranger again after its change.
  func deviceToken(for account: AccountID, _ password: StoredPassword) -> Secret {
    let key = purposeKeys.current(.pages)
    let mac = key.mac.authenticate(deviceMark(account, password))
    return Secret("\(key.id).\(Base64URL.encode(mac))")
  }

  func isDeviceToken(_ token: String, for account: AccountID, _ password: StoredPassword) -> Bool {
    let parts = token.split(separator: ".")
    guard parts.count == 2, let key = purposeKeys.key(String(parts[0]), for: .pages),
      let mac = Base64URL.decode(String(parts[1]))
    else { return false }
    return key.mac.isValid(mac, for: deviceMark(account, password))
  }

  private func deviceMark(_ account: AccountID, _ password: StoredPassword) -> [UInt8] {
    Array("device|\(account.text)|\(password.changedAt.seconds)".utf8)
  }
}
