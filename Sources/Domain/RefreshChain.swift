/// The refresh tokens that one authorization gives in turn: one counts, the one before it may still be repeated, and
/// any older one is a copy that somebody else holds.
public struct RefreshChain: Sendable, Equatable {
  /// Seconds in which a used token still yields the successor it was exchanged for, so that a lost answer loses
  /// nobody's sign-in.
  public static let replayWindow: Int64 = 30
  /// Seconds in which repetitions are not counted: an app that refreshes on many connections at once does no harm.
  public static let parallelWindow: Int64 = 5
  /// How often the same successor is handed out again between ``parallelWindow`` and ``replayWindow``.
  public static let maximumReplays: Int64 = 3

  /// Of the part that all tokens of the chain begin with.
  public let id: TokenHash
  public let family: TokenFamilyID
  /// The token that counts, by the part that is its own.
  public let current: TokenHash
  /// When it ends unused.
  public let expiresAt: Timestamp
  /// `nil` before the first exchange.
  public let former: Former?

  /// The token that was exchanged for the one that counts.
  public struct Former: Sendable, Equatable {
    public let hash: TokenHash
    public let rotatedAt: Timestamp
    /// The successor, encrypted under a key derived from this token; `nil` once the window has passed.
    ///
    /// Only whoever holds this token can read it.
    public let successor: [UInt8]?
    public let replays: Int64

    public init(hash: TokenHash, rotatedAt: Timestamp, successor: [UInt8]?, replays: Int64) {
      self.hash = hash
      self.rotatedAt = rotatedAt
      self.successor = successor
      self.replays = replays
    }

    /// Whether a repetition at `now` counts toward ``maximumReplays``.
    public func countsReplay(at now: Timestamp) -> Bool { now - rotatedAt >= RefreshChain.parallelWindow }

    fileprivate func repeats(at now: Timestamp) -> Bool {
      now - rotatedAt < RefreshChain.replayWindow && replays < RefreshChain.maximumReplays
    }
  }

  public init(
    id: TokenHash, family: TokenFamilyID, current: TokenHash, expiresAt: Timestamp, former: Former? = nil
  ) {
    self.id = id
    self.family = family
    self.current = current
    self.expiresAt = expiresAt
    self.former = former
  }

  /// What presenting a token of the chain leads to.
  public enum Outcome: Sendable, Equatable {
    case rotate
    /// Hand out the successor once more, and say when it was made.
    case replay(Former, successor: [UInt8])
    /// A used token outside its window: somebody else holds a copy, so the family ends (RFC 9700 §4.14.2).
    case reuse
    case refuse(Refusal)
  }

  /// Decides for the token `presented` by `client`, which proves to hold the key of `binding`; pure.
  public func outcome(
    of presented: TokenHash, in family: TokenFamily, for client: ClientID, with binding: TokenBinding? = nil,
    at now: Timestamp
  ) -> Outcome {
    if family.client != client {
      return .refuse(Refusal(.invalidGrant, "The refresh token was issued to another client."))
    }
    // Before anything that a thief without the key could end.
    if let bound = family.binding, bound != binding {
      return .refuse(Refusal(.invalidGrant, "The refresh token is bound to another key."))
    }
    if family.isRevoked { return .refuse(Refusal(.invalidGrant, "The refresh token was revoked.")) }
    guard now < family.expiresAt else { return .refuse(Refusal(.invalidGrant, "The authorization has expired.")) }
    if presented == current {
      return now < expiresAt ? .rotate : .refuse(Refusal(.invalidGrant, "The refresh token has expired."))
    }
    // As long as none was exchanged, no copy of an older one can exist.
    guard let former else { return .refuse(Refusal(.invalidGrant, "The refresh token is unknown.")) }
    guard former.hash == presented, former.repeats(at: now), let successor = former.successor else { return .reuse }
    return .replay(former, successor: successor)
  }
}
