public typealias LogoutNoticeID = Identifier<LogoutNotice>

/// What a client app still has to be told: that a browser session has ended (OpenID Connect Back-Channel Logout).
public struct LogoutNotice: Sendable, Equatable, Identified {
  public static let idPrefix = "bye"
  /// Seconds after which the client is told no more.
  public static let lifetime: Int64 = 60 * 60

  public let id: LogoutNoticeID
  public let client: ClientID
  public let account: AccountID
  /// The `sid` of the client's ID tokens.
  public let sessionID: String
  public let attempts: Int64
  public let expiresAt: Timestamp

  public init(
    id: LogoutNoticeID, client: ClientID, account: AccountID, sessionID: String, attempts: Int64, expiresAt: Timestamp
  ) {
    self.id = id
    self.client = client
    self.account = account
    self.sessionID = sessionID
    self.attempts = attempts
    self.expiresAt = expiresAt
  }

  /// Seconds to wait after the given number of failed attempts: 1, 5, then 30 minutes.
  public static func delay(afterAttempts attempts: Int64) -> Int64 {
    switch attempts {
    case ...1: 60
    case 2: 5 * 60
    default: 30 * 60
    }
  }
}
