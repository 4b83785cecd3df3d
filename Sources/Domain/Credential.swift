public typealias CredentialID = Identifier<Credential>

/// What one account holds for one connection; the tokens themselves are sealed beside it.
public struct Credential: Sendable, Equatable, Identified {
  public static let idPrefix = "cred"

  public enum State: String, Sendable {
    case active
    /// The upstream refuses what we hold; only the person can mend it.
    case reauthRequired = "reauth_required"
    /// Sign-out has begun: nothing may be vended, and a refresh still under way goes to the outbox.
    case closing
  }

  public let id: CredentialID
  public let account: AccountID
  public let connection: ConnectionID
  public let identity: UpstreamIdentity
  public let state: State
  /// Rises with every new set of tokens and with sign-out; an older writer's result is not stored.
  public let generation: Int64
  /// When the access token stops working.
  public let accessExpiresAt: Timestamp
  /// When the refresh token stops working, if the upstream says so.
  public let refreshExpiresAt: Timestamp?
  public let canRefresh: Bool
  public let connectedAt: Timestamp
  public let refreshedAt: Timestamp
  public let lastUsedAt: Timestamp?
  /// When it is to be given up although the upstream would let it go on.
  public var keptUntil: Timestamp?
  /// The browser session with which it ends, when the person wanted it so.
  public var session: TokenHash?
  /// The `sid` of the ID token that it came with.
  public var upstreamSessionID: String?
  /// Whether the upstream granted `offline_access` with it.
  public var isOffline = false

  public init(
    id: CredentialID, account: AccountID, connection: ConnectionID, identity: UpstreamIdentity, state: State,
    generation: Int64, accessExpiresAt: Timestamp, refreshExpiresAt: Timestamp?, canRefresh: Bool,
    connectedAt: Timestamp, refreshedAt: Timestamp, lastUsedAt: Timestamp?
  ) {
    self.id = id
    self.account = account
    self.connection = connection
    self.identity = identity
    self.state = state
    self.generation = generation
    self.accessExpiresAt = accessExpiresAt
    self.refreshExpiresAt = refreshExpiresAt
    self.canRefresh = canRefresh
    self.connectedAt = connectedAt
    self.refreshedAt = refreshedAt
    self.lastUsedAt = lastUsedAt
  }

  /// Whether the access token has at least `seconds` left.
  public func isFresh(for seconds: Int64, at now: Timestamp) -> Bool { accessExpiresAt - now >= max(seconds, 1) }

  /// Seconds that the access token should still be good for when an app wishes for `wished`: not more than a new one
  /// could give, or every call would refresh.
  public func wantedLifetime(_ wished: Int64) -> Int64 {
    let lifetime = accessExpiresAt - refreshedAt
    return max(min(wished, lifetime - Self.leastAge), Self.refreshMargin(lifetime: lifetime))
  }

  /// Seconds that a token has at least before an app, or a refusal upstream, has it replaced.
  public static let leastAge: Int64 = 60

  /// Seconds until it may be replaced although it should still work; `nil` when it may be now.
  public func tooYoungFor(at now: Timestamp) -> Int64? {
    let left = refreshedAt + Self.leastAge - now
    return left > 0 ? left : nil
  }

  /// Whether its last use was noted so long ago that noting it again is worth a write: a minute.
  public func needsTouch(at now: Timestamp) -> Bool { lastUsedAt.map { now - $0 >= 60 } ?? true }

  /// Seconds before expiry at which a new token is fetched: a minute, or a tenth of a short life.
  public static func refreshMargin(lifetime: Int64) -> Int64 { min(60, max(lifetime / 10, 1)) }

  /// When an app should ask again that got a token good until `end`: shortly before, or every hour when there is no
  /// end, since only then it learns that the person has disconnected.
  public static func askAgain(_ end: Timestamp, at now: Timestamp) -> Timestamp {
    end.isNever ? now + 3600 : end - refreshMargin(lifetime: end - now)
  }
}

extension Connection {
  /// Where a credential's sealed tokens belong (see ``SealContext``).
  public func sealContext(for credential: CredentialID, of account: AccountID) -> SealContext {
    SealContext(
      table: "credential", column: "tokens", row: credential.text, account: account.text,
      binding: "\(id.text) \(origin) \(clientID) \(revision)")
  }
}

/// The tokens that an upstream gave, with what it said about them.
public struct UpstreamTokens: Sendable, Equatable {
  public let accessToken: Secret
  public let accessExpiresAt: Timestamp
  /// Absent when the upstream gave none; after a refresh without one, the old one stays.
  public let refreshToken: Secret?
  public let refreshExpiresAt: Timestamp?
  /// The raw ID token of an OpenID provider, kept for sign-out (`id_token_hint`).
  public let idToken: Secret?
  /// What the upstream granted, when it said so.
  public let scope: String?
  /// What the person let us keep to make the next token with; sealed like the tokens.
  public var login: TypedLogin?
  /// The `Referer` that every request with the access token must carry, when it is bound to one.
  public var referer: String?

  /// The API key that takes the place of the access token, which is one, when that ends.
  public internal(set) var nextKey: TypedToken?
  /// What API keys are cancelled with; `nil` when no administrator entered it.
  public internal(set) var keyItem: KeyItem?

  /// Whether our registration alone is enough to be given more of them.
  public var isOfRegistration = false

  /// Whether new tokens can be had without the person.
  public var canRenew: Bool { refreshToken != nil || login != nil || isOfRegistration || nextKey != nil }

  public init(
    accessToken: Secret, accessExpiresAt: Timestamp, refreshToken: Secret?, refreshExpiresAt: Timestamp? = nil,
    idToken: Secret? = nil, scope: String? = nil
  ) {
    self.accessToken = accessToken
    self.accessExpiresAt = accessExpiresAt
    self.refreshToken = refreshToken
    self.refreshExpiresAt = refreshExpiresAt
    self.idToken = idToken
    self.scope = scope
  }

  /// These tokens after a refresh that answered `newer`: what it left out stays as it was.
  public func replaced(by newer: UpstreamTokens) -> UpstreamTokens {
    var replaced = UpstreamTokens(
      accessToken: newer.accessToken, accessExpiresAt: newer.accessExpiresAt,
      refreshToken: newer.refreshToken ?? refreshToken,
      refreshExpiresAt: newer.refreshToken == nil ? newer.refreshExpiresAt ?? refreshExpiresAt : newer.refreshExpiresAt,
      idToken: newer.idToken ?? idToken, scope: newer.scope ?? scope)
    replaced.login = newer.login ?? login
    replaced.referer = newer.referer ?? referer
    replaced.isOfRegistration = newer.isOfRegistration || isOfRegistration
    return replaced
  }
}
