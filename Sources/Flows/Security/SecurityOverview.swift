public import Domain
import Storage

/// What protects an account, and where it is signed in.
public struct SecurityOverview: Sendable {
  /// When its local password was changed last; `nil` when it has none.
  public let passwordChangedAt: Timestamp?
  public let factors: SecondFactors
  public let passkeys: [Passkey]
  /// The live ones, the latest used first.
  public let sessions: [BrowserSession]
}

extension Installation {
  public func securityOverview(of account: AccountID) async throws -> SecurityOverview {
    let now = clock.now()
    return try await store.read { tx in
      SecurityOverview(
        passwordChangedAt: try tx.password(of: account)?.changedAt, factors: try tx.secondFactors(of: account),
        passkeys: try tx.passkeys(of: account),
        sessions: try tx.sessions(of: account).filter { $0.isLive(at: now) })
    }
  }

  /// Whether somebody proved who they are so lately that they may change what protects their account.
  public func isFresh(_ signedIn: SignedIn) async throws -> Bool {
    let hasPassword = try await store.read { try $0.password(of: signedIn.account.id) != nil }
    return signedIn.session.isFresh(at: clock.now(), hasLocalPassword: hasPassword)
  }
}

extension BrowserSession {
  /// Names it in links and toward apps: says nothing of its cookie.
  public var publicID: String { hash.publicID }
}
