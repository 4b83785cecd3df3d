public import Domain
import Logging
import Storage
import Upstream

/// Ends what began with a sign-in at an OpenID provider when the provider says that it is over there (OpenID Connect
/// Back-Channel Logout §2.7).
///
/// Browser sessions end with what they gave to apps, which are told in turn. What was connected ends, too, unless the
/// provider granted it for when the person is away.
public struct EndUpstreamSession: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  private struct Ended {
    var notices: [LogoutNotice] = []
    var closing: [CloseCredential.Closing] = []
  }

  /// Does what a logout token says that somebody sent for a connection.
  ///
  /// - Throws: `Refusal`: `not_found` when no logout token is taken there; `invalid_request` when this one is not believed
  ///   or was used before; `temporarily_unavailable` when the provider's keys cannot be fetched; `slow_down` after too
  ///   many from one network that were refused.
  public func callAsFunction(_ token: String, at id: ConnectionID, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    guard let connection = try await here.store.read({ try $0.connection(id) }), connection.takesLogoutTokens else {
      throw Refusal(.notFound, "There is no connection of this name that takes logout tokens.")
    }
    let logout = try await read(token, connection, visitor, at: now)
    guard let ended = try await end(logout, connection, visitor, at: now) else {
      throw try await refused(because: "it was used before", connection, visitor)
    }
    for one in ended.closing { here.proxyPlaces.end(.service(id, of: one.credential.account)) }
    finish(ended.closing, at: now)
    await NotifyClients(here).tell(ended.notices)
  }

  private func read(
    _ token: String, _ connection: Connection, _ visitor: Visitor, at now: Timestamp
  ) async throws -> UpstreamLogout {
    do { return try await here.upstreams.providers.readLogoutToken(token, at: connection, now: now) } catch {
      switch error {
      case .invalid(let reason): throw try await refused(because: reason, connection, visitor)
      case .keysAskedLately:
        throw Refusal(
          .temporarilyUnavailable, "The token names a key that the issuer did not have a moment ago.", retryAfter: 60)
      case .keysUnavailable:
        here.log.warning(
          "a logout token cannot be checked: the provider's keys cannot be fetched",
          ["connection": .string(connection.id.text)])
        throw Refusal(
          .temporarilyUnavailable, "The keys of the issuer cannot be fetched at the moment.", retryAfter: 60)
      }
    }
  }

  /// Writes the refusal down; gives what the sender is told.
  ///
  /// Only tokens that are refused are counted: no crowd of them may keep one away that is right.
  private func refused(because reason: String, _ connection: Connection, _ visitor: Visitor) async throws -> Refusal {
    if let seconds = here.logoutTokens.take(visitor.network, at: here.clock.now()) {
      return Refusal(.slowDown, "Too many logout tokens of your network were refused.", retryAfter: seconds)
    }
    try await here.recordRefusal(.upstreamLogoutRefused, connection: connection.id, detail: reason, visitor)
    return Refusal(.invalidRequest, "The logout token was refused: \(reason).")
  }

  /// Everything that ends here, in one transaction; `nil` when the token was used before.
  private func end(
    _ logout: UpstreamLogout, _ connection: Connection, _ visitor: Visitor, at now: Timestamp
  ) async throws -> Ended? {
    let here = here
    return try await here.store.write { tx -> Ended? in
      guard try tx.connection(connection.id)?.revision == connection.revision else {
        throw Refusal(.notFound, "The connection was changed meanwhile.")
      }
      let hash = TokenHash(of: logout.tokenID)
      guard try tx.useLogoutToken(hash, of: connection.id, until: logout.believedUntil, at: now) else { return nil }
      var ended = Ended()
      let sessions = try tx.browserSessions(endedBy: logout)
      for (hash, _) in sessions {
        ended.notices += try NotifyClients(here).note(hash, tx, at: now)
        try tx.revokeFamilies(ofSession: hash, at: now)
        try tx.deleteSession(hash)
      }
      let credentials = try tx.credentials(endedBy: logout)
      for credential in credentials where !credential.outlivesUpstreamSession {
        ended.closing += try CloseCredential(here: here).begin(credential, tx, .system, at: now).map { [$0] } ?? []
      }
      for event in Self.events(sessions.map(\.account), credentials, connection.id, visitor, at: now) {
        try here.recording(event)(tx)
      }
      return ended
    }
  }

  /// One row for each account that it was about, or one that says that it was about nobody.
  private static func events(
    _ sessions: [AccountID], _ credentials: [Credential], _ connection: ConnectionID, _ visitor: Visitor,
    at now: Timestamp
  ) -> [AuditEvent] {
    func event(_ account: AccountID?, _ detail: String) -> AuditEvent {
      AuditEvent(
        .upstreamSignedOut, at: now, origin: visitor.origin, account: account, connection: connection, detail: detail)
    }
    let accounts = Set(sessions + credentials.map(\.account))
    guard !accounts.isEmpty else { return [event(nil, "nobody was signed in by it")] }
    return accounts.sorted { $0.text < $1.text }.map { account in
      let count = sessions.count { $0 == account }
      let held = credentials.first { $0.account == account }
      let rest = held.map { $0.outlivesUpstreamSession ? "stays: offline_access" : "ends" }
      return event(account, "browser sessions ended: \(count)\(rest.map { ", the credential \($0)" } ?? "")")
    }
  }

  /// Tells the provider which tokens are not needed any more.
  ///
  /// It waits for our answer, so it is not made to wait for its own; the outbox has them if this process dies.
  private func finish(_ closing: [CloseCredential.Closing], at now: Timestamp) {
    guard !closing.isEmpty else { return }
    let here = here
    Task {
      for one in closing {
        do { _ = try await CloseCredential(here: here).finish(one, at: now) } catch {
          here.log.error(
            "a credential that its provider ended is not deleted yet",
            ["connection": .string(one.connection.id.text), "error": .string(String(describing: error))])
        }
      }
      await here.shred()
    }
  }
}

extension Quota {
  /// Bounds the logout tokens from one network that are refused: whoever sends them has proven nothing.
  static func ofLogoutTokens() -> Quota { Quota(each: 300, inAll: 30_000, window: 60) }
}
