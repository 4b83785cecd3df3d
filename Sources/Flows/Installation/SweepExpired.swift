import Domain
import Storage

/// Removes what has expired and what a crash left half done.
public struct SweepExpired: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public func callAsFunction() async throws {
    let now = here.clock.now()
    let dayAgo = now - 24 * 60 * 60
    try await drain { try $0.shredClosedCredentials() }
    try await drain { try $0.deleteServerTokens(expiredBefore: now) }
    try await drain { try $0.deleteFederatedServers(answeredBefore: now - FederatedServer.longestLifetime) }
    try await drain { try $0.deleteSessions(signedInBefore: dayAgo) }
    try await drain { try $0.deleteSignInAttempts(expiredBefore: now) }
    try await drain { try $0.deleteChallenges(expiredBefore: now) }
    try await drain { try $0.deleteAuthenticators(unconfirmedSince: now - AuthenticatorSecret.confirmationTime) }
    try await drain { try $0.deleteUsedChallenges(expiredBefore: now) }
    try await drain { try $0.deletePasswordTries(before: now - LockoutGuard.window) }
    try await drain { try $0.deleteInvitations(expiredBefore: now) }
    try await drain { try $0.deleteEmailChanges(expiredBefore: now) }
    try await drain { try $0.deletePasswordLinks(expiredBefore: now) }
    try await drain { try $0.deleteRegistrationTokens(expiredBefore: now) }
    try await drain { try deleteUnusedRegistrations($0, at: now) }
    try await drain { try $0.deleteAuthorizationRequests(expiredBefore: now) }
    try await drain { try $0.deleteDeviceAuthorizations(expiredBefore: now) }
    try await drain { try $0.deleteCodes(expiredBefore: dayAgo) }
    try await drain { try $0.deleteSuccessors(rotatedBefore: now - RefreshChain.replayWindow) }
    try await drain { try $0.deleteUsedAssertions(expiredBefore: now) }
    try await drain { try $0.deleteUsedProofs(expiredBefore: now) }
    try await drain { try $0.deleteUsedLogoutTokens(expiredBefore: now) }
    try await drain { try $0.deleteRevokedTokens(expiredBefore: now) }
    try await drain { try $0.deleteFamilies(expiredBefore: dayAgo) }
    try await drain { try $0.deleteNotices(before: now - Notice.daysKept * 24 * 60 * 60) }
    try await drain { try $0.deleteKnownBrowsers(before: now - KnownBrowser.daysKept * 24 * 60 * 60) }
    try await drain { try deleteUnusedAppPasswords($0, at: now) }
    try await drain { try endUntakenAppPasswords($0, at: now) }
    try await drain { try $0.deleteAPIKeys(revokedBefore: now - APIKeyUse.daysKept * 24 * 60 * 60) }
    try await drain { try $0.deleteAPIKeyUses(before: APIKeyUse.day(of: now) - APIKeyUse.daysKept) }
    try await drain { try $0.deleteVendUseDays(before: VendUse.day(of: now) - VendUse.daysKept) }
    try await drain { try $0.deleteVendUses(before: VendUse.day(of: now) - VendUse.daysKept) }
  }

  private func deleteUnusedAppPasswords(_ tx: Transaction, at now: Timestamp) throws -> Int {
    let unused = try tx.deleteAppPasswords(unusedSince: now - AppPassword.idleLifetime)
    for password in unused {
      try tx.insert(
        AuditEvent(
          .appPasswordEnded, at: now, origin: .system, account: password.account, client: password.client,
          connection: password.connection, detail: "\(password.id), unused"))
    }
    return unused.count
  }

  /// Ends passwords at connections that take none any more.
  private func endUntakenAppPasswords(_ tx: Transaction, at now: Timestamp) throws -> Int {
    try tx.connections().filter { $0.appPasswordClient == nil }.reduce(into: 0) { count, connection in
      count += try tx.endUntakenAppPasswords(at: connection.id, limit: 100, .system, at: now).count
    }
  }

  /// Removes apps that registered themselves and that nobody needs.
  private func deleteUnusedRegistrations(_ tx: Transaction, at now: Timestamp) throws -> Int {
    let unused = try tx.deleteUnusedRegistrations(before: now - here.registration.unusedDays * 24 * 60 * 60)
    for id in unused {
      try here.recording(AuditEvent(.clientDeleted, at: now, origin: .system, client: id, detail: "unused"))(tx)
    }
    return unused.count
  }

  /// Repeats a step of at most 500 rows until nothing is left, so that no sign-in waits behind a long transaction.
  private func drain(_ step: @escaping @Sendable (Transaction) throws -> Int) async throws {
    while try await here.store.writeInBackground(step) > 0 { try Task.checkCancellation() }
  }
}
