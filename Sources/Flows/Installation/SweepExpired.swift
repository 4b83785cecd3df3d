import Domain
import Storage

/// Removes what has expired and what a crash left half done.
public struct SweepExpired: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public func callAsFunction() async throws {
    let now = here.clock.now()
    let dayAgo = now - 24 * 60 * 60
    try await here.store.writeInBackground { tx in
      try tx.shredClosedCredentials()
      _ = try tx.deleteSessions(signedInBefore: dayAgo)
      _ = try tx.deleteSignInAttempts(expiredBefore: now)
      _ = try tx.deleteAuthorizationRequests(expiredBefore: now)
      _ = try tx.deleteCodes(expiredBefore: dayAgo)
      _ = try tx.deleteSuccessors(rotatedBefore: now - RefreshToken.replayWindow)
      _ = try tx.deleteRevokedTokens(expiredBefore: now)
      _ = try tx.deleteFamilies(expiredBefore: dayAgo)
    }
  }
}
