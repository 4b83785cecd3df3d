public typealias APIKeyTokenID = Identifier<APIKeyToken>

/// A short-lived token that the holder of a secret API key made from it: never for more than the key, and no longer
/// than one of its secrets.
public struct APIKeyToken: Sendable, Equatable, Identified {
  public static let idPrefix = "child"
  /// In seconds.
  public static let lifetimes: ClosedRange<Int64> = 1...3600
  /// In seconds, where its holder names no other.
  public static let ordinaryLifetime: Int64 = 15 * 60

  public let id: APIKeyTokenID
  public let key: APIKeyID
  /// The number of the secret that it was made with.
  public let slot: Int64
  public let expiresAt: Timestamp
  public let narrowing: APIKeyNarrowing

  public init(
    id: APIKeyTokenID, key: APIKeyID, slot: Int64, expiresAt: Timestamp, narrowing: APIKeyNarrowing
  ) {
    self.id = id
    self.key = key
    self.slot = slot
    self.expiresAt = expiresAt
    self.narrowing = narrowing
  }
}

/// What a token is for, where that is less than its key; `nil` is whatever the key is for at the time.
public struct APIKeyNarrowing: Sendable, Equatable {
  public var connections: [ConnectionID]?
  public var resources: [ResourcePattern]?
  public var methods: [String]?
  public var longestAnswer: Int64?
  public var referrers: [ResourcePattern]?
  public var networks: [String]?

  public init() {}

  /// The member in which it is more than `key`, which an empty list may be, too: that is any; `nil` when it is not.
  ///
  /// Networks are left to whoever can read them: see ``isWithin(_:_:by:)``.
  public func excess(over key: ClientAPIKey) -> String? {
    let scope = key.scope
    if let connections, connections.isEmpty || !connections.allSatisfy(scope.connections.contains) {
      return "scope.connections"
    }
    if !Self.isWithin(resources, scope.resources, by: { $0.isWithin($1) }) { return "scope.resources" }
    if !Self.isWithin(methods, scope.methods, by: ==) { return "scope.methods" }
    if let longestAnswer, longestAnswer > scope.longestAnswer ?? .max { return "scope.longest_answer" }
    if !Self.isWithin(referrers, key.limits.referrers, by: { $0.isWithin($1) }) { return "limits.referrers" }
    return nil
  }

  /// Whether each of `some` lies within one of `all`; no list is the same one, an empty one is everything.
  public static func isWithin<Element>(
    _ some: [Element]?, _ all: [Element], by isWithin: (Element, Element) -> Bool
  ) -> Bool {
    guard let some, !all.isEmpty else { return true }
    return !some.isEmpty && some.allSatisfy { part in all.contains { isWithin(part, $0) } }
  }
}

extension ClientAPIKey {
  /// The key as whoever shows `token` may use it.
  public func narrowed(to token: APIKeyToken) -> ClientAPIKey {
    let less = token.narrowing
    var key = ClientAPIKey(
      id: id, client: client, name: name, kind: kind,
      scope: APIKeyScope(
        connections: less.connections ?? scope.connections, resources: less.resources ?? scope.resources,
        methods: less.methods ?? scope.methods, longestAnswer: less.longestAnswer ?? scope.longestAnswer),
      limits: APIKeyLimits(
        referrers: less.referrers ?? limits.referrers, networks: less.networks ?? limits.networks,
        perMinute: limits.perMinute, perDay: limits.perDay),
      createdAt: createdAt, revokedAt: revokedAt, slots: slots)
    key.token = token
    return key
  }

  /// What the audit log and an explanation call what was shown.
  public var shownID: String { token.map { "\(id), \($0.id)" } ?? id.text }
}
