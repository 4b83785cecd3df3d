public import Domain
import Storage

/// A signed-in browser as a request finds it.
public struct SignedIn: Sendable {
  public let session: BrowserSession
  public let account: Account

  public init(session: BrowserSession, account: Account) {
    self.session = session
    self.account = account
  }
}

/// A session just begun, with the value for its cookie.
public struct NewSession: Sendable {
  public let token: Secret
  let hash: TokenHash
  public let account: Account
  public let kind: BrowserSession.Kind
  /// The value for the cookie by which the browser is known again.
  public let browserMark: Secret
}

extension Installation {
  /// The live session of a cookie, or `nil`; one that nobody began here is never adopted.
  public func session(_ token: String, kind: BrowserSession.Kind, at now: Timestamp) async throws -> SignedIn? {
    let hash = TokenHash(of: token)
    guard let (session, account) = try await store.read({ try $0.session(hash) }) else { return nil }
    guard session.kind == kind, session.isLive(at: now), !account.isDisabled else { return nil }
    if kind == .administrator, account.role != .administrator { return nil }
    if session.needsTouch(at: now) { store.touchSession(hash, at: now) }
    return SignedIn(session: session, account: account)
  }

  /// Writes that begin a session; run them in the transaction that proves who the person is.
  func beginning(
    _ kind: BrowserSession.Kind, of account: Account, by methods: AuthenticationMethods, _ visitor: Visitor,
    at now: Timestamp
  ) -> (NewSession, @Sendable (Transaction) throws -> Void) {
    let token = NewToken()
    let session = BrowserSession(
      hash: token.hash, account: account.id, kind: kind, authenticatedAt: now, lastSeenAt: now,
      userAgent: visitor.userAgent, address: visitor.origin.address, methods: methods)
    let (mark, noteBrowser) = notingBrowser(of: account.id, visitor, at: now)
    let begun = NewSession(
      token: token.secret, hash: token.hash, account: account, kind: kind, browserMark: mark)
    return (
      begun,
      { tx in
        try tx.insert(session)
        try noteBrowser(tx)
      }
    )
  }

  /// Ends one session, for example the administration's own.
  public func endSession(_ signedIn: SignedIn, _ visitor: Visitor) async throws {
    let ended = recording(
      AuditEvent(.sessionEnded, at: clock.now(), origin: visitor.origin, account: signedIn.account.id))
    try await store.write { tx in
      if try tx.deleteSession(signedIn.session.hash) { try ended(tx) }
    }
  }
}
