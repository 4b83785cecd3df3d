import Domain
import Storage
import Synchronization

/// Whom an access token acts for.
final class TokenHolder: Sendable {
  let account: Account
  let authenticatedAt: Timestamp
  /// What its app asked to be told about the person.
  let openID: OpenIDRequest

  init(_ account: Account, _ family: TokenFamily) {
    self.account = account
    authenticatedAt = family.authenticatedAt
    openID = family.openID
  }
}

/// Access tokens that had not ended when the store was read last, with whom they act for: resource servers ask about one
/// token often between two changes.
///
/// Exact: what was read before a write, such as a sign-out or a revocation, is never used after it.
final class KnownTokenHolders: Sendable {
  /// What was read of a token.
  enum Standing: Sendable {
    case ended
    /// It counts; nobody for the token of a client that acts for itself.
    case live(TokenHolder?)
  }

  private struct Kept {
    let holder: TokenHolder?
    let version: Int
  }

  private static let capacity = 10_000
  private let kept = Mutex<[String: Kept]>([:])

  /// Whether the token of `claims`, whose signature was checked, still counts, and for whom.
  func standing(of claims: AccessTokenClaims, in store: Store) async throws -> Standing {
    let version = store.changeVersion
    if let known = kept.withLock({ $0[claims.id] }), known.version == version { return .live(known.holder) }
    let read = try await store.read { try $0.standing(of: claims) }
    if case .live(let holder) = read {
      kept.withLock { kept in
        if kept.count >= Self.capacity { kept.removeAll() }
        kept[claims.id] = Kept(holder: holder, version: version)
      }
    }
    return read
  }
}

extension Transaction {
  fileprivate func standing(of claims: AccessTokenClaims) throws -> KnownTokenHolders.Standing {
    if try hasEnded(claims) { return .ended }
    guard let family = try claims.family.flatMap(family), let account = try account(family.account) else {
      return .live(nil)
    }
    return .live(TokenHolder(account, family))
  }
}
