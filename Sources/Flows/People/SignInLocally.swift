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

    public init(username: String, password: Secret, kind: BrowserSession.Kind, deviceToken: String?) {
      self.username = Username.folded(username)
      self.password = password
      self.kind = kind
      self.deviceToken = deviceToken
    }
  }

  public enum Outcome: Sendable {
    case signedIn(NewSession, deviceToken: Secret)
    /// Unknown, disabled, wrong password or not an administrator: nobody learns which.
    case wrong
    case wait(seconds: Int64)
  }

  public func callAsFunction(_ attempt: Attempt, _ visitor: Visitor) async throws -> Outcome {
    let now = here.clock.now()
    let known = await isKnown(attempt)
    if !known, let delay = throttle.delay(for: attempt.username, from: visitor.network, at: now) {
      return .wait(seconds: delay)
    }
    let found = try await here.store.read { tx in
      try tx.account(username: attempt.username).map { ($0, try tx.passwordHash(of: $0.id)) }
    }
    let matches = try await here.passwords.matches(
      attempt.password, found?.1, for: visitor.network, isKnownDevice: known)
    guard matches, let (account, hash) = found, mayEnter(account, attempt.kind) else {
      throttle.fail(attempt.username, from: visitor.network, at: now)
      try await noteFailure(found?.0, visitor, at: now)
      return .wrong
    }
    throttle.succeed(attempt.username, from: visitor.network)
    let session = try await begin(attempt, account, visitor, at: now)
    if let hash { try await rehashIfNeeded(hash, of: account, attempt.password, visitor) }
    return .signedIn(session, deviceToken: here.deviceToken(for: account.id))
  }

  private func mayEnter(_ account: Account, _ kind: BrowserSession.Kind) -> Bool {
    !account.isDisabled && (kind == .person || account.role == .administrator)
  }

  private func isKnown(_ attempt: Attempt) async -> Bool {
    guard let token = attempt.deviceToken else { return false }
    let name = attempt.username
    guard let account = try? await here.store.read({ try $0.account(username: name) }) else { return false }
    return here.isDeviceToken(token, for: account.id)
  }

  private func begin(
    _ attempt: Attempt, _ account: Account, _ visitor: Visitor, at now: Timestamp
  ) async throws -> NewSession {
    let (session, insert) = here.beginning(attempt.kind, of: account, visitor, at: now)
    let event = here.recording(
      AuditEvent(
        .signInSucceeded, at: now, origin: visitor.origin, account: account.id, detail: attempt.kind.rawValue))
    try await here.store.write { tx in
      try insert(tx)
      try event(tx)
    }
    return session
  }

  /// Unknown names are not written down: people type passwords there by mistake.
  private func noteFailure(_ account: Account?, _ visitor: Visitor, at now: Timestamp) async throws {
    guard let account else { return }
    try await here.record(
      AuditEvent(.signInFailed, .failure, at: now, origin: visitor.origin, account: account.id))
  }

  private func rehashIfNeeded(
    _ hash: String, of account: Account, _ password: Secret, _ visitor: Visitor
  ) async throws {
    guard try here.passwords.needsRehash(hash) else { return }
    let fresh = try await here.passwords.hash(password, for: visitor.network)
    let now = here.clock.now()
    try await here.store.write { try $0.setPasswordHash(fresh, of: account.id, at: now) }
  }
}

extension Installation {
  /// The value of the cookie that tells a device which has signed in before from a stranger.
  func deviceToken(for account: AccountID) -> Secret {
    let key = purposeKeys.current(.pages)
    let mac = key.mac.authenticate(Array("device|\(account.text)".utf8))
    return Secret("\(key.id).\(Base64URL.encode(mac))")
  }

  func isDeviceToken(_ token: String, for account: AccountID) -> Bool {
    let parts = token.split(separator: ".")
    guard parts.count == 2, let key = purposeKeys.key(String(parts[0]), for: .pages),
      let mac = Base64URL.decode(String(parts[1]))
    else { return false }
    return key.mac.isValid(mac, for: Array("device|\(account.text)".utf8))
  }
}
