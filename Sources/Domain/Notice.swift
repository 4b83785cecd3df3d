public typealias NoticeID = Identifier<Notice>

/// Something that a person must be told about their account or their services.
public struct Notice: Sendable, Equatable, Identified {
  public static let idPrefix = "note"
  /// Days for which it can be read again.
  public static let daysKept: Int64 = 90

  public enum Kind: String, Sendable, CaseIterable {
    /// What is stored for a service is not taken any more, or has run out.
    case serviceBroken = "service_broken"
    case serviceRecovered = "service_recovered"
    /// An app used a service of theirs for the first time.
    case appFirstUse = "app_first_use"
    case newBrowser = "new_browser"
    case passwordChanged = "password_changed"
    case passwordSetByLink = "password_set_by_link"
    case authenticatorAdded = "authenticator_added"
    case authenticatorRemoved = "authenticator_removed"
    case passkeyAdded = "passkey_added"
    case passkeyRemoved = "passkey_removed"
    /// Somebody who administers took away all of the second step.
    case secondStepRemoved = "second_step_removed"
    case recoveryCodeUsed = "recovery_code_used"
    case appPasswordMade = "app_password_made"
    /// Notices are mailed to another address, or to none.
    case emailChanged = "email_changed"
  }

  /// What it is about, as things were called then: they may be gone by the time that somebody reads it.
  public struct Facts: Sendable, Equatable {
    public var connection: ConnectionID?
    /// What the connection was called.
    public var service: String?
    /// What the app was called.
    public var app: String?
    /// What the passkey was called.
    public var passkey: String?
    /// What the browser called itself, and where it was; `nil` when it was not the person's own request.
    public var userAgent: String?
    public var address: String?

    public init() {}
  }

  public let id: NoticeID
  public let account: AccountID
  public let kind: Kind
  public let facts: Facts
  public let at: Timestamp
  public let readAt: Timestamp?

  public init(
    id: NoticeID, account: AccountID, kind: Kind, facts: Facts, at: Timestamp, readAt: Timestamp? = nil
  ) {
    self.id = id
    self.account = account
    self.kind = kind
    self.facts = facts
    self.at = at
    self.readAt = readAt
  }
}

/// A browser in which somebody signed in before.
///
/// It keeps a random value in a cookie; of that, only a hash together with the account is stored, so that the rows of
/// two people who share a browser tell nothing of each other.
public enum KnownBrowser {
  /// Days after the last sign-in until it is forgotten, unless the account has no later one.
  public static let daysKept: Int64 = 400
  /// How many of one account are told apart; beyond, those that were not used longest are forgotten.
  public static let mostOfAccount: Int64 = 50
}
