public typealias RevocationID = Identifier<Revocation>

/// An upstream token that still has to be revoked, kept sealed in the outbox until the upstream agrees or a day passes.
public struct Revocation: Sendable, Equatable, Identified {
  public static let idPrefix = "rev"
  /// Seconds after which a revocation is given up and its token destroyed.
  public static let lifetime: Int64 = 24 * 60 * 60

  public let id: RevocationID
  public let account: AccountID
  public let connection: ConnectionID
  public let attempts: Int64
  public let nextAttemptAt: Timestamp
  public let expiresAt: Timestamp

  public init(
    id: RevocationID, account: AccountID, connection: ConnectionID, attempts: Int64, nextAttemptAt: Timestamp,
    expiresAt: Timestamp
  ) {
    self.id = id
    self.account = account
    self.connection = connection
    self.attempts = attempts
    self.nextAttemptAt = nextAttemptAt
    self.expiresAt = expiresAt
  }

  /// Seconds to wait after the given number of failed attempts: 1 minute, doubling, at most an hour.
  public static func delay(afterAttempts attempts: Int64) -> Int64 {
    min(60 << min(max(attempts - 1, 0), 6), 3600)
  }
}

/// What became of one credential at sign-out.
public struct SignOutItem: Sendable, Equatable {
  public enum Outcome: String, Sendable {
    /// The upstream confirmed that its tokens no longer work.
    case revoked
    /// Deleted here; the upstream is told again until it answers.
    case retrying
    /// Deleted here; this upstream offers no way to revoke.
    case deleted
    /// Deleted here, with the connections that it opened; there is nothing that could be revoked.
    case forgotten
  }

  public let connection: ConnectionID
  public let connectionName: String
  /// The upstream's host, as people see it.
  public let host: String
  public let displayName: String
  public let outcome: Outcome
  /// When the access token stops by itself.
  public let accessExpiresAt: Timestamp
  /// When the last token that was got for a federated server stops by itself; no portal promises to cancel those.
  public let serverTokensEndAt: Timestamp?
  /// The upstream's own sign-out page, which ends its session in this browser.
  public let upstreamSignOutURL: String?
  /// What stands in front of the upstream, and lets nobody through to it any more for this person.
  public let missingLayer: Connection?

  public init(
    connection: ConnectionID, connectionName: String, host: String, displayName: String, outcome: Outcome,
    accessExpiresAt: Timestamp, serverTokensEndAt: Timestamp?, upstreamSignOutURL: String?,
    missingLayer: Connection? = nil
  ) {
    self.connection = connection
    self.connectionName = connectionName
    self.host = host
    self.displayName = displayName
    self.outcome = outcome
    self.accessExpiresAt = accessExpiresAt
    self.serverTokensEndAt = serverTokensEndAt
    self.upstreamSignOutURL = upstreamSignOutURL
    self.missingLayer = missingLayer
  }

  /// When the token stops by itself, if it still works; a sign-in that is shown to a network is none.
  public var tokenEndsAt: Timestamp? {
    switch outcome {
    case .retrying, .deleted: accessExpiresAt
    case .revoked, .forgotten: nil
    }
  }
}
