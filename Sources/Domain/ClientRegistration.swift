public typealias RegistrationTokenID = Identifier<RegistrationToken>

/// An initial access token (RFC 7591 §1.2): lets apps register themselves that an administrator gave it to.
public struct RegistrationToken: Sendable, Equatable, Identified {
  public static let idPrefix = "reg"
  public static let days: ClosedRange<Int64> = 1...365
  public static let longestUses: ClosedRange<Int64> = 1...10_000

  public let id: RegistrationTokenID
  /// What administrators know it by.
  public let name: String
  /// How many apps may register with it.
  public let uses: Int64
  public let used: Int64
  public let createdAt: Timestamp
  public let expiresAt: Timestamp

  public init(
    id: RegistrationTokenID, name: String, uses: Int64, used: Int64 = 0, createdAt: Timestamp, expiresAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.uses = uses
    self.used = used
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }

  public func isLive(at now: Timestamp) -> Bool { used < uses && now < expiresAt }
}

/// How a client came here that registered itself.
public struct ClientRegistration: Sendable, Equatable {
  /// Of its registration access token (RFC 7592 §1.2).
  public let accessToken: TokenHash
  /// The initial access token that it came with; `nil` where none was asked for.
  public let initialToken: RegistrationTokenID?
  public let description: ClientDescription
  /// When an administrator said that they know the app; `nil` as long as nobody did.
  public let checkedAt: Timestamp?

  public init(
    accessToken: TokenHash, initialToken: RegistrationTokenID?, description: ClientDescription,
    checkedAt: Timestamp? = nil
  ) {
    self.accessToken = accessToken
    self.initialToken = initialToken
    self.description = description
    self.checkedAt = checkedAt
  }
}
