import Domain
import Synchronization

/// Tokens whose signature was checked lately, so that a client which calls often pays for it once.
///
/// Holds hashes and claims, never tokens; whether a token is still live is asked of the store every time. Kept in two
/// halves: when the newer is full, the older goes, so that making room costs nothing.
final class VerifiedTokens: Sendable {
  private static let halfCapacity = 5_000

  private struct Halves {
    var newer: [TokenHash: AccessTokenClaims] = [:]
    var older: [TokenHash: AccessTokenClaims] = [:]
  }

  private let halves = Mutex(Halves())

  func claims(of hash: TokenHash) -> AccessTokenClaims? { halves.withLock { $0.newer[hash] ?? $0.older[hash] } }

  func remember(_ verified: AccessTokenClaims, as hash: TokenHash) {
    halves.withLock { halves in
      if halves.newer.count >= Self.halfCapacity {
        halves.older = halves.newer
        halves.newer = [:]
      }
      halves.newer[hash] = verified
    }
  }
}
