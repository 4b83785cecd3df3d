public typealias RefreshAttemptID = Identifier<RefreshAttempt>

/// The journal row of one refresh: written before the upstream is asked, cleared with the new tokens.
///
/// While it stands, its holder alone may present the refresh token. After a crash the next holder either applies the
/// answer that was recorded, or asks once more with the old token.
public struct RefreshAttempt: Sendable, Equatable, Identified {
  public static let idPrefix = "refresh"
  /// Seconds that a lease lasts: longer than the upstream call can take.
  public static let lease: Int64 = 30
  /// Seconds of lease that must remain when the request is sent, so that a paused holder never sends late.
  public static let minimumRemainingLease: Int64 = 15
  /// How often one refresh token may be presented when no complete answer came: the first time and once more.
  public static let maximumPosts: Int64 = 2
  /// Bytes set aside in the row with the intent, so that a full disk cannot refuse the upstream's answer.
  public static let reservedAnswerBytes = 32 * 1024

  public let id: RefreshAttemptID
  public let credential: CredentialID
  /// The credential's generation when the attempt began; the result is stored only if it is still the same.
  public let generation: Int64
  /// Counted durably before each request is sent.
  public let posts: Int64
  public let leaseUntil: Timestamp
  /// The sealed raw answer, once there is one.
  public let answer: Sealed?

  public init(
    id: RefreshAttemptID, credential: CredentialID, generation: Int64, posts: Int64, leaseUntil: Timestamp,
    answer: Sealed?
  ) {
    self.id = id
    self.credential = credential
    self.generation = generation
    self.posts = posts
    self.leaseUntil = leaseUntil
    self.answer = answer
  }
}
