import Domain
import Synchronization

/// Tokens whose signature was checked lately, so that a client which calls often pays for it once.
///
/// Holds hashes and claims, never tokens; whether a token is still live is asked of the store every time. Kept in two
/// halves: when the newer is full, the older goes, so that making room costs nothing. All of it goes when our keys change,
/// since a key may have been taken back.
final class VerifiedTokens: Sendable {
  private static let halfCapacity = 5_000

  private struct Halves {
    /// The ``SigningTurn/revision`` that the signatures were checked under.
    var revision = 0
    var newer: [TokenHash: AccessTokenClaims] = [:]
    var older: [TokenHash: AccessTokenClaims] = [:]
  }

  private let halves = Mutex(Halves())

  func claims(of hash: TokenHash, revision: Int) -> AccessTokenClaims? {
    halves.withLock { $0.revision == revision ? $0.newer[hash] ?? $0.older[hash] : nil }
  }

  func remember(_ verified: AccessTokenClaims, as hash: TokenHash, revision: Int) {
    halves.withLock { halves in
      guard revision >= halves.revision else { return }
      if revision > halves.revision { halves = Halves(revision: revision) }
      if halves.newer.count >= Self.halfCapacity {
        halves.older = halves.newer
        halves.newer = [:]
      }
      halves.newer[hash] = verified
    }
  }
}
