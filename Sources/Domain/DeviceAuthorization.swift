/// The request of a device that has no browser, while a person decides about it on another one (RFC 8628).
public struct DeviceAuthorization: Sendable, Equatable {
  /// Seconds in which the person has to decide.
  public static let lifetime: Int64 = 600
  /// Seconds between two questions of the device, at first.
  public static let interval: Int64 = 5
  /// By how many seconds the device has to slow down each time that it asks too early (§3.5).
  public static let slowDownStep: Int64 = 5

  public enum State: String, Sendable {
    case waiting
    case allowed
    case denied
  }

  /// Who allowed it, and in which browser session.
  public struct Decider: Sendable, Equatable {
    public let account: AccountID
    public let session: TokenHash
    public let authenticatedAt: Timestamp

    public init(account: AccountID, session: TokenHash, authenticatedAt: Timestamp) {
      self.account = account
      self.session = session
      self.authenticatedAt = authenticatedAt
    }
  }

  /// Of the device code.
  public let hash: TokenHash
  public let client: ClientID
  public let scope: Scope
  /// Where the device asked from, for the person to recognise.
  public let address: String
  public let createdAt: Timestamp
  public let expiresAt: Timestamp
  /// Seconds that the device has to wait between two questions now.
  public var interval = Self.interval
  public var askedAt: Timestamp?
  public var state = State.waiting
  /// `nil` until it is allowed.
  public var decider: Decider?

  public init(
    hash: TokenHash, client: ClientID, scope: Scope, address: String, createdAt: Timestamp, expiresAt: Timestamp
  ) {
    self.hash = hash
    self.client = client
    self.scope = scope
    self.address = address
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }

  /// What the device is told when it asks.
  public enum Answer: Sendable, Equatable {
    case allowed(Decider)
    /// Nobody has decided yet: `interval` seconds from now it may ask again.
    case ask(again: Refusal, interval: Int64)
    case refused(Refusal)
  }

  /// Decides for a question of `client`; pure.
  public func answer(to client: ClientID, at now: Timestamp) -> Answer {
    guard client == self.client else {
      return .refused(Refusal(.invalidGrant, "The device code was issued to another client."))
    }
    guard now < expiresAt else {
      return .refused(Refusal(.expiredToken, "The device code has expired; ask for another."))
    }
    if let askedAt, now - askedAt < interval {
      let slower = interval + Self.slowDownStep
      return .ask(again: Refusal(.slowDown, "Wait \(slower) seconds between two questions now."), interval: slower)
    }
    switch (state, decider) {
    case (.allowed, let decider?): return .allowed(decider)
    case (.denied, _): return .refused(Refusal(.accessDenied, "The person did not allow it."))
    default:
      return .ask(again: Refusal(.authorizationPending, "The person has not decided yet."), interval: interval)
    }
  }
}
