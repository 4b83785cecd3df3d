/// A person's way through the layers of one URL, from the first decision to the last.
///
/// It belongs to one browser and one account, and outlives the trips to the upstreams. What is satisfied does not stand
/// here: the URL is asked again each time.
public struct StandingChallenge: Sendable, Equatable {
  /// Seconds that a person may take for all layers together.
  public static let lifetime: Int64 = 30 * 60
  /// Sign-ins that may be begun; whoever needs more is helped by none of them.
  public static let mostAttempts: Int64 = 5

  /// How a person ended it before everything was satisfied.
  public enum Ending: String, Sendable, CaseIterable {
    /// They go on without the credential, so that the app gets the upstream's own error.
    case skipped
    case cancelled
  }

  /// The app that waits for the person.
  public struct Waiting: Sendable, Equatable {
    public let client: ClientID
    /// The connection that its request was refused for.
    public let connection: ConnectionID

    public init(client: ClientID, connection: ConnectionID) {
      self.client = client
      self.connection = connection
    }
  }

  public let handle: TokenHash
  /// The hash of the browser's own cookie.
  public let browser: TokenHash
  public let account: AccountID
  public let resource: ResourceURL
  public let waiting: Waiting?
  /// The handle of an app's authorization request that waits meanwhile.
  public let authorization: String?
  /// The connections that the person does not want to use for this resource.
  public var rejected: [ConnectionID] = []
  /// Sign-ins that were begun.
  public var attempts: Int64 = 0
  public let expiresAt: Timestamp

  public init(
    handle: TokenHash, browser: TokenHash, account: AccountID, resource: ResourceURL, waiting: Waiting?,
    authorization: String?, expiresAt: Timestamp
  ) {
    self.handle = handle
    self.browser = browser
    self.account = account
    self.resource = resource
    self.waiting = waiting
    self.authorization = authorization
    self.expiresAt = expiresAt
  }

  public var isExhausted: Bool { attempts >= Self.mostAttempts }
}
