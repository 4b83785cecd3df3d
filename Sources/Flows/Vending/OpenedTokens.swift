import Domain
import Synchronization

/// An upstream access token, with what every request that carries it must say.
struct OpenedToken: Sendable, Equatable {
  let secret: Secret
  /// What it is bound to, if it is bound to a `Referer`.
  var referer: String?
}

/// Upstream access tokens that were opened lately, so that a credential in steady use is not unsealed at every vend.
///
/// Never a refresh token, and no token longer than a minute. Exact: one counts only in the place it was sealed for and
/// for one generation of its credential, which every vend knows exactly.
final class OpenedTokens: Sendable {
  private struct Place: Hashable {
    let seal: SealContext
    let generation: Int64
  }

  private struct Opened {
    let token: OpenedToken
    let at: Timestamp
  }

  /// Seconds that a token is kept.
  static let lifetime: Int64 = 60
  private static let capacity = 10_000

  private let opened = Mutex<[Place: Opened]>([:])

  func token(of credential: Credential, _ connection: Connection, at now: Timestamp) -> OpenedToken? {
    let place = Self.place(credential, connection)
    guard let kept = opened.withLock({ $0[place] }), now - kept.at < Self.lifetime else { return nil }
    return kept.token
  }

  func remember(_ token: OpenedToken, of credential: Credential, _ connection: Connection, at now: Timestamp) {
    let place = Self.place(credential, connection)
    opened.withLock { opened in
      if opened.count >= Self.capacity { opened.removeAll() }
      opened[place] = Opened(token: token, at: now)
    }
  }

  /// Wipes what is kept long enough; called often, since a token that nobody asks for would stay otherwise.
  func sweep(at now: Timestamp) {
    opened.withLock { opened in opened = opened.filter { now - $0.value.at < Self.lifetime } }
  }

  private static func place(_ credential: Credential, _ connection: Connection) -> Place {
    Place(
      seal: connection.sealContext(for: credential.id, of: credential.account), generation: credential.generation)
  }
}
