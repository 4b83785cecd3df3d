public import Domain
import Logging
import Storage
import Upstream

/// Signs a person out everywhere: revokes at every upstream, deletes what is kept, ends sessions and tokens of ours,
/// and reports what really happened.
public struct SignOut: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What a sign-out would end.
  public struct Preview: Sendable {
    /// By name, as in the report.
    public let services: [Service]
    /// The live ones, in any browser.
    public let sessions: [BrowserSession]
    /// Whether jobs of apps use some of them while the person is away, which a sign-out that keeps them does not end.
    public let hasUnattendedUse: Bool
  }

  /// What an account is connected to.
  public struct Service: Sendable {
    public let credential: Credential
    public let connection: Connection
    /// Whether the upstream has a page that ends its own session in this browser.
    public let hasSignOutPage: Bool
  }

  public struct Report: Sendable {
    public let items: [SignOutItem]
    /// Live ones, this browser's included.
    public let sessionsEnded: Int
    public let appsEnded: Int
  }

  public func preview(_ account: AccountID) async throws -> Preview {
    let now = here.clock.now()
    let (held, sessions, hasUnattendedUse) = try await here.store.read { tx in
      let held = try tx.credentials(of: account).compactMap { credential in
        try tx.connection(credential.connection).map { (credential, $0) }
      }
      let isUnattended = try tx.consents(of: account).contains { !$0.unattended.isEmpty }
      return (held, try tx.sessions(of: account).filter { $0.isLive(at: now) }, isUnattended)
    }
    var services: [Service] = []
    for (credential, connection) in held {
      let page = await here.signOutURL(of: connection, tokens: nil)
      services.append(Service(credential: credential, connection: connection, hasSignOutPage: page != nil))
    }
    return Preview(
      services: services.sorted { $0.connection.name < $1.connection.name }, sessions: sessions,
      hasUnattendedUse: hasUnattendedUse)
  }

  /// Ends everything; what an upstream does not confirm in time is retried in the background for a day.
  ///
  /// With `keepsServices` the credentials stay, so that only sessions and tokens of ours end.
  public func callAsFunction(
    _ account: AccountID, keepsServices: Bool = false, _ visitor: Visitor
  ) async throws -> Report {
    let now = here.clock.now()
    let (closing, sessions, families, notices) = try await close(account, keepsServices, visitor, at: now)
    Failpoint.signOutClosed.reach()
    here.proxyPlaces.end(.account(account))
    async let told: Void = NotifyClients(here).tell(notices)
    // What portals must be told may go through the layers in front of them, which are dropped last.
    var items: [SignOutItem] = []
    for layer in ChallengeLayer.fromInside {
      items += try await finish(closing.filter { $0.connection.kind.layer == layer }, at: now)
    }
    if !closing.isEmpty { await here.shred() }
    await told
    return Report(
      items: items.sorted { $0.connectionName < $1.connectionName }, sessionsEnded: sessions, appsEnded: families)
  }

  private func finish(_ closing: [CloseCredential.Closing], at now: Timestamp) async throws -> [SignOutItem] {
    try await withThrowingTaskGroup(of: SignOutItem.self) { group in
      for one in closing { group.addTask { try await CloseCredential(here: here).finish(one, at: now) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// One transaction that stops everything here at once and keeps in the outbox what the upstreams must be told.
  private func close(
    _ account: AccountID, _ keepsServices: Bool, _ visitor: Visitor, at now: Timestamp
  ) async throws -> ([CloseCredential.Closing], sessions: Int, families: Int, notices: [LogoutNotice]) {
    let here = here
    let ended = here.recording(AuditEvent(.sessionEnded, at: now, origin: visitor.origin, account: account))
    return try await here.store.write { tx in
      let held = keepsServices ? [] : try tx.credentials(of: account)
      let closing = try held.compactMap { try CloseCredential(here: here).begin($0, tx, visitor, at: now) }
      let notices = try tx.sessions(of: account).flatMap { try NotifyClients(here).note($0.hash, tx, at: now) }
      let families = try tx.revokeFamilies(of: account, at: now)
      // A code on its way to an app must not open what ends here.
      try tx.burnCodes(of: account, at: now)
      let sessions = try tx.sessions(of: account).count { $0.isLive(at: now) }
      try tx.deleteSessions(of: account)
      try tx.deleteEmailChange(of: account)
      try ended(tx)
      return (closing, sessions, families, notices)
    }
  }
}

/// Disconnects one service from an account, exactly as a sign-out would.
public struct Disconnect: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Returns: What became of it, or `nil` when the account holds nothing for the connection.
  public func callAsFunction(
    _ connection: ConnectionID, from account: AccountID, _ visitor: Visitor
  ) async throws -> SignOutItem? {
    let (here, now) = (here, here.clock.now())
    let closing = try await here.store.write { tx -> CloseCredential.Closing? in
      guard let held = try tx.credential(of: account, for: connection) else { return nil }
      // Who has a password here does not sign in by the service; somebody else may, from now on.
      if try tx.password(of: account) != nil { try tx.unlinkIdentities(of: account, at: connection) }
      return try CloseCredential(here: here).begin(held, tx, visitor, at: now)
    }
    guard let closing else { return nil }
    here.proxyPlaces.end(.service(connection, of: account))
    let item = try await CloseCredential(here: here).finish(closing, at: now)
    await here.shred()
    return item
  }
}
