public typealias PasskeyID = Identifier<Passkey>

/// A key pair whose private half an authenticator keeps, and which proves its owner here alone.
public struct Passkey: Sendable, Equatable, Identified {
  public static let idPrefix = "pk"
  /// How many one account may have.
  public static let maximumCount = 20
  /// Seconds for which a challenge counts.
  public static let challengeLifetime: Int64 = 5 * 60

  public let id: PasskeyID
  public let account: AccountID
  /// What the authenticator calls it.
  public let credential: [UInt8]
  /// What its owner calls it.
  public let name: String
  /// The JOSE name of the algorithm.
  public let algorithm: String
  /// DER of the SubjectPublicKeyInfo.
  public let publicKey: [UInt8]
  /// As the authenticator said last; stays 0 where it does not count.
  public let counter: Int64
  /// Whether it may be copied to other devices of its owner.
  public let isCopied: Bool
  public let createdAt: Timestamp
  public let lastUsedAt: Timestamp?

  public init(
    id: PasskeyID, account: AccountID, credential: [UInt8], name: String, algorithm: String, publicKey: [UInt8],
    counter: Int64, isCopied: Bool, createdAt: Timestamp, lastUsedAt: Timestamp? = nil
  ) {
    self.id = id
    self.account = account
    self.credential = credential
    self.name = name
    self.algorithm = algorithm
    self.publicKey = publicKey
    self.counter = counter
    self.isCopied = isCopied
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }

  /// The method that it is, toward apps.
  public var method: AuthenticationMethods.Method { isCopied ? .softwareKey : .hardwareKey }
}
