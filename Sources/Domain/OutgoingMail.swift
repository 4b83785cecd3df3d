public typealias OutgoingMailID = Identifier<OutgoingMail>

/// A mail that waits in the outbox: what it is about, and not its text, which is made when it is sent.
public struct OutgoingMail: Sendable, Equatable, Identified {
  public static let idPrefix = "mail"
  /// Seconds after which it is given up: two days.
  public static let lifetime: Int64 = 2 * 24 * 60 * 60
  /// How many of one account are told by mail in an hour; the rest stands on its page alone.
  public static let mostNoticesAnHour: Int64 = 20

  public enum Subject: Sendable, Equatable {
    case notice(NoticeID)
    /// Asks whether the recipient wants to be the account's address.
    case confirmation
    /// Tells the former address of an account that there is another one, or none.
    case formerAddress
    /// Lets somebody set a password that they have forgotten.
    case passwordLink
  }

  public let id: OutgoingMailID
  public let account: AccountID
  public let subject: Subject
  public let recipient: EmailAddress
  public let attempts: Int64
  public let expiresAt: Timestamp

  public init(
    id: OutgoingMailID, account: AccountID, _ subject: Subject, to recipient: EmailAddress, attempts: Int64 = 0,
    expiresAt: Timestamp
  ) {
    self.id = id
    self.account = account
    self.subject = subject
    self.recipient = recipient
    self.attempts = attempts
    self.expiresAt = expiresAt
  }
}

/// How long what could not be delivered waits for its next attempt.
public enum DeliveryPause {
  /// Seconds after the given number of failed attempts: 1, 5 and 30 minutes, then 2 hours.
  public static func seconds(afterAttempts attempts: Int64) -> Int64 {
    switch attempts {
    case ...1: 60
    case 2: 5 * 60
    case 3: 30 * 60
    default: 2 * 60 * 60
    }
  }
}

/// The address that somebody wants to have for their account, until whoever reads mail there has agreed.
public struct EmailChange: Sendable, Equatable {
  /// Seconds for which the link is good that goes there: an hour.
  public static let lifetime: Int64 = 60 * 60

  public let account: AccountID
  public let address: EmailAddress

  public init(account: AccountID, address: EmailAddress) {
    self.account = account
    self.address = address
  }
}
