import Crypto
import Domain
import JOSE
import Synchronization

/// DPoP proofs that were used lately (RFC 9449 §11.1), so that none is used twice.
///
/// In memory, where one process has the database to itself; instances that share one keep this there. Kept in two halves,
/// each for as long as a proof can be used: what is older cannot come back.
final class ProofReplays: Sendable {
  static let window = DPoPProof.longestAge + DPoPProof.leeway + 1
  private static let capacity = 200_000

  private struct Halves {
    var newer: Set<TokenHash> = []
    var older: Set<TokenHash> = []
    var newerSince: Timestamp = Timestamp(seconds: 0)
  }

  private let halves = Mutex(Halves())

  enum Use {
    case first
    case repeated
    /// There is no place to remember it.
    case full
  }

  /// Uses up a proof of the key with this thumbprint.
  func use(_ hash: TokenHash, at now: Timestamp) -> Use {
    halves.withLock { halves in
      let age = now - halves.newerSince
      if age >= Self.window {
        halves.older = age >= 2 * Self.window ? [] : halves.newer
        halves.newer = []
        halves.newerSince = now
      }
      if halves.newer.contains(hash) || halves.older.contains(hash) { return .repeated }
      guard halves.newer.count < Self.capacity else { return .full }
      halves.newer.insert(hash)
      return .first
    }
  }
}
