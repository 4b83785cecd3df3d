public typealias APIKeyID = Identifier<ClientAPIKey>

/// A long-lived key of a client, for apps without a person: what it reaches, how much of it, and until when.
///
/// It uses what the service itself is connected to, and nothing of people.
public struct ClientAPIKey: Sendable, Equatable, Identified {
  public static let idPrefix = "key"
  /// In days; how long one secret is good.
  public static let days: ClosedRange<Int64> = 1...365
  /// Of one client.
  public static let mostOfClient = 100

  public enum Kind: String, Sendable, CaseIterable {
    /// For servers, which can keep it.
    case secret
    /// For pages and programs on people's devices, where anybody can read it: it only reads, and by the proxy alone.
    case publishable
  }

  public let id: APIKeyID
  public let client: ClientID
  public let name: String
  public let kind: Kind
  public let scope: APIKeyScope
  public let limits: APIKeyLimits
  public let createdAt: Timestamp
  /// When all of it was ended; `nil` while it was not.
  public let revokedAt: Timestamp?
  /// Two at most, by number.
  public let slots: [Slot]
  /// The number of the secret that was shown; `nil` where none was.
  public var shownSlot: Int64?
  /// What was shown in place of the key; then ``scope`` and ``limits`` are the token's.
  public var token: APIKeyToken?

  /// One secret of the key: two can work at a time, so that one can follow the other without a gap.
  public struct Slot: Sendable, Equatable {
    /// 1 or 2.
    public let number: Int64
    /// What the key as it is presented gives under the key of ``pepperID``.
    public let code: [UInt8]
    public let pepperID: String
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    public let revokedAt: Timestamp?
    public let lastUsedAt: Timestamp?

    public init(
      number: Int64, code: [UInt8], pepperID: String, createdAt: Timestamp, expiresAt: Timestamp,
      revokedAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil
    ) {
      self.number = number
      self.code = code
      self.pepperID = pepperID
      self.createdAt = createdAt
      self.expiresAt = expiresAt
      self.revokedAt = revokedAt
      self.lastUsedAt = lastUsedAt
    }

    public func isLive(at now: Timestamp) -> Bool { revokedAt == nil && now < expiresAt }
  }

  public init(
    id: APIKeyID, client: ClientID, name: String, kind: Kind, scope: APIKeyScope, limits: APIKeyLimits,
    createdAt: Timestamp, revokedAt: Timestamp? = nil, slots: [Slot] = []
  ) {
    self.id = id
    self.client = client
    self.name = name
    self.kind = kind
    self.scope = scope
    self.limits = limits
    self.createdAt = createdAt
    self.revokedAt = revokedAt
    self.slots = slots
  }

  /// Whether it may be given the upstream's own token: only one that is narrowed to nothing less than its connections,
  /// since such a token can do everything, and only the key itself, since it outlives what ends in minutes.
  public var mayHoldRawTokens: Bool { kind == .secret && token == nil && !scope.isNarrowed }

  /// The number that the next secret gets: a free one, or that of a secret which does not work any more.
  ///
  /// - Throws: `Refusal` `invalid_request` when both work.
  public func nextSlot(at now: Timestamp) throws(Refusal) -> Int64 {
    for number in [1, 2] as [Int64] where !slots.contains(where: { $0.number == number && $0.isLive(at: now) }) {
      return number
    }
    throw Refusal(.invalidRequest, "Both secrets of the key work. End one of them first.")
  }

  /// How the secret of `slot`, or the token that was shown, has ended, or `nil` while it counts.
  public func ending(of slot: Slot, at now: Timestamp) -> Ending? {
    if revokedAt != nil || slot.revokedAt != nil { return .revoked }
    guard now < slot.expiresAt else { return .expired }
    return token.map { now < $0.expiresAt } ?? true ? nil : .tokenExpired
  }

  public enum Ending: Sendable, CaseIterable {
    case revoked
    case expired
    case tokenExpired
    /// The key was narrowed to less than its token is for.
    case tokenOutgrown

    /// What whoever has the secret is told.
    public var refusal: Refusal {
      switch self {
      case .revoked: Refusal(.invalidToken, "The API key was revoked. An administrator can make another.")
      case .expired: Refusal(.invalidToken, "The API key has expired. An administrator can make the next one.")
      case .tokenExpired: Refusal(.invalidToken, "The token of the API key has expired. Make another from the key.")
      case .tokenOutgrown:
        Refusal(.invalidToken, "The API key is for less than its token by now. Make another from the key.")
      }
    }
  }
}

extension ClientAPIKey {
  /// Everything that forbids to give `owner` such a key, with the field to mend; `connections` are all there are.
  public func objections(_ owner: Client, _ connections: [Connection]) -> [(field: String, text: String)] {
    var found: [(String, String)] = []
    if !DisplayName.isPlain(name) {
      found.append(("name", "Give the key a name of 1 to 100 bytes, without line breaks and invisible characters."))
    }
    if owner.kind == .public, kind == .secret {
      found.append(("kind", "A public client cannot keep a secret: give it a publishable key."))
    }
    if kind == .publishable, scope.methods.isEmpty || !scope.methods.allSatisfy(APIKeyScope.readingMethods.contains) {
      found.append(("method", "A publishable key only reads: let it use GET, HEAD, or both."))
    }
    if scope.connections.isEmpty { found.append(("connection", "Name the connections that the key is for.")) }
    for id in scope.connections {
      guard let connection = connections.first(where: { $0.id == id }), owner.permission(for: id) != nil else {
        found.append(("connection", "\(owner.name) may not use a connection called \(id)."))
        continue
      }
      if !connection.kind.isServiceOwned {
        let text = "\(connection.name) is connected by people, and a key acts for nobody: use one of Gatehouse’s own."
        found.append(("connection", text))
      }
    }
    return found + scope.objections + limits.objections
  }
}
