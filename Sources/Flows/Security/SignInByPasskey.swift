import Crypto
public import Domain
import Storage
import WebAuthn

/// Signs in whoever has a passkey, without a name and a password: it is both factors, since the authenticator verifies
/// the person.
public struct SignInByPasskey: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What a browser needs to ask for one; `nil` where there can be none, since our host is an address.
  public struct Options: Sendable {
    public let challenge: String
    public let relyingParty: String
    /// The ids of those that count, in base64url; empty for any.
    public let known: [String]
  }

  public func options(in browser: TokenHash) -> Options? {
    here.relyingParty.map {
      Options(challenge: here.newChallenge(for: .signIn(browser: browser)), relyingParty: $0.id, known: [])
    }
  }

  public struct Attempt: Sendable {
    let answer: PasskeyAnswer
    let kind: BrowserSession.Kind
    let browser: TokenHash
    let formerSession: String?

    public init(_ answer: PasskeyAnswer, _ kind: BrowserSession.Kind, browser: TokenHash, formerSession: String?) {
      self.answer = answer
      self.kind = kind
      self.browser = browser
      self.formerSession = formerSession
    }
  }

  /// `nil` when the answer proves nobody who may enter.
  public func callAsFunction(
    _ attempt: Attempt, _ visitor: Visitor
  ) async throws -> (session: NewSession, deviceToken: Secret)? {
    let now = here.clock.now()
    guard
      let proof = try await here.proof(
        of: attempt.answer, for: .signIn(browser: attempt.browser), needsVerification: true)
    else { return nil }
    let id = proof.passkey.account
    let found = try await here.store.read { tx in try tx.account(id).map { ($0, try tx.password(of: id)) } }
    guard let (account, password) = found, let password else { return nil }
    let methods = AuthenticationMethods([proof.passkey.method, .userPresence, .multipleFactors])
    let (session, insert) = here.beginning(attempt.kind, of: account, by: methods, visitor, at: now)
    let signedIn = here.recording(
      AuditEvent(
        .signInSucceeded, at: now, origin: visitor.origin, account: id, detail: "\(attempt.kind.rawValue), passkey"))
    let failed = AuditEvent(
      .signInFailed, .failure, at: now, origin: visitor.origin, account: id, detail: "passkey")
    let former = attempt.formerSession.map(TokenHash.init(of:))
    let isIn = try await here.store.write { tx in
      guard let current = try tx.account(id), !current.isDisabled,
        attempt.kind == .person || current.role == .administrator, try proof.isTaken(tx, at: now)
      else {
        try tx.insert(failed)
        return false
      }
      try insert(tx)
      if let former { try tx.end(former, succeededBy: session.hash, of: id) }
      try signedIn(tx)
      return true
    }
    return isIn ? (session, here.deviceToken(for: id, password)) : nil
  }
}
