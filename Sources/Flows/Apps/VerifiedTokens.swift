import Crypto
import Domain
import Synchronization

/// Tokens whose signature was checked lately, so that a client which calls often pays for it once.
///
/// Holds fingerprints and claims, never tokens; whether a token is still live is asked of the store every time. Kept in two
/// halves: when the newer is full, the older goes, so that making room costs nothing. All of it goes when our keys change,
/// since a key may have been taken back.
final class VerifiedTokens: Sendable {
  private static let halfCapacity = 5_000

  private struct Halves {
    /// The ``SigningTurn/revision`` that the signatures were checked under.
    var revision = 0
    var newer: [Fingerprint: AccessTokenClaims] = [:]
    var older: [Fingerprint: AccessTokenClaims] = [:]
  }

  private let fingerprints = Fingerprints()
  private let halves = Mutex(Halves())

  func fingerprint(of token: String) -> Fingerprint { fingerprints.fingerprint(of: Array(token.utf8)) }

  func claims(of token: Fingerprint, revision: Int) -> AccessTokenClaims? {
    halves.withLock { $0.revision == revision ? $0.newer[token] ?? $0.older[token] : nil }
  }

  func remember(_ verified: AccessTokenClaims, as token: Fingerprint, revision: Int) {
    halves.withLock { halves in
      guard revision >= halves.revision else { return }
      if revision > halves.revision { halves = Halves(revision: revision) }
      if halves.newer.count >= Self.halfCapacity {
        halves.older = halves.newer
        halves.newer = [:]
      }
      halves.newer[token] = verified
    }
  }
}
