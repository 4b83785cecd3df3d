/// What a client asks to call, and for whom.
public struct VendRequest: Sendable {
  public let client: ClientID
  /// The person whose credential is meant; `nil` for a client that acts for itself.
  public let account: AccountID?
  public let resource: ResourceURL
  /// Seconds that the token must still be good for.
  public let minimumLifetime: Int64
  /// The name of the connection that must be the one which covers the URL; `nil` when any will do (RFC 8693 §2.1).
  public let audience: String?
  /// How the proxy calls the resource; `nil` when the client wants to call it itself.
  public var proxiedMethod: String?
  /// The job that asks while the person is not there; `nil` where they gave the client a token.
  public var unattended: UnattendedJob?
  /// The API key that the client showed; `nil` where it proved who it is in another way.
  public var key: ClientAPIKey?
  /// The connection as whose ArcGIS portal the client was answered; `nil` where it named the resource itself.
  public var portal: ConnectionID?

  public init(
    client: ClientID, account: AccountID?, resource: ResourceURL, minimumLifetime: Int64, audience: String? = nil
  ) {
    self.client = client
    self.account = account
    self.resource = resource
    self.minimumLifetime = minimumLifetime
    self.audience = audience
  }

  /// In seconds: as long as ArcGIS gives a token at most.
  public static let maximumMinimumLifetime: Int64 = TypedLogin.longestTokenMinutes * 60

  /// In seconds; who wishes for more than this, and than is left, wants another token than the one that is at hand.
  public static let longestOrdinaryWish: Int64 = 25 * 60
}

/// The rule for whom an upstream's credential may be used.
public enum VendRule {
  /// What is told where no connection covers the URL, or none that the client may use.
  public static let unknownTarget = Refusal(
    .invalidTarget, "No connection that this client may use covers the resource, or several cover it equally well.")

  /// What a job is told that could get something only by the proxy.
  public static let proxyIsAttended = Refusal(
    .invalidTarget, "What covers the resource is used by the proxy only, which takes no unattended jobs.")

  /// What a job is told that runs while nobody is there, whether its person is unknown, disabled or has not allowed it.
  public static let noUnattendedConsent = Refusal(
    .invalidRequest, "subject_token: sub is nobody who allows this client to use the connection while they are away.")

  /// Why a vend is refused, and the question at which it was.
  public struct Objection: Sendable, Equatable {
    public let question: VendStep.Question
    public let refusal: Refusal
  }

  /// Why `client` must not use what the person who gave `consent` has at `connection`, or `nil`.
  ///
  /// That holds for the proxy as for a token of its own.
  /// An unknown URL and one that the client may not use read the same, so that nobody learns what is connected here. A
  /// client that acts for itself (no `account`) has only the service's own credentials, which need nobody's consent.
  public static func objection(
    client: Client, connection: Connection, account: AccountID?, consent: Consent?, audience: String? = nil,
    portal: ConnectionID? = nil, isUnattended: Bool = false
  ) -> Objection? {
    guard let permission = client.permission(for: connection.id) else {
      return Objection(question: .permission, refusal: unknownTarget)
    }
    if connection.isDisabled {
      let text = "An administrator has switched off the connection that covers the resource."
      return Objection(question: .connection, refusal: Refusal(.invalidTarget, text))
    }
    if isUnattended, !permission.isUnattended { return Objection(question: .pinned, refusal: unknownTarget) }
    if !connection.kind.isServiceOwned {
      guard account != nil else { return Objection(question: .person, refusal: unknownTarget) }
      guard let consent, consent.allows(connection.id, through: portal) else {
        if isUnattended { return Objection(question: .consent, refusal: noUnattendedConsent) }
        return Objection(
          question: .consent,
          refusal: Refusal(
            .interactionRequired, "The person has not allowed this client to use the connection.",
            interaction: .init(reason: .notConnected, connection: connection.id)))
      }
    }
    if isUnattended, !(consent?.unattended.contains(connection.id) ?? false) {
      return Objection(question: .unattendedConsent, refusal: noUnattendedConsent)
    }
    if let audience, audience != connection.id.text {
      let text = "Another connection than audience names covers the resource."
      return Objection(question: .layers, refusal: Refusal(.invalidTarget, text))
    }
    return nil
  }

  /// The refusal alone.
  public static func refusal(
    client: Client, connection: Connection, account: AccountID?, consent: Consent?, audience: String? = nil
  ) -> Refusal? {
    objection(client: client, connection: connection, account: account, consent: consent, audience: audience)?.refusal
  }
}

/// What an app gets for a resource.
public enum Vended: Sendable {
  case token(VendedToken)
  /// It has to call the proxy.
  case proxy(ProxyReferral)

  /// What left, if anything did.
  public var handedOut: VendedToken? {
    if case .token(let token) = self { token } else { nil }
  }
}

/// What an app gets to call a resource with.
public struct VendedToken: Sendable {
  public let connection: ConnectionID
  public let token: Secret
  /// The header lines to send, the token's own included.
  public let headers: [(name: String, value: Secret)]
  /// What the token is bound to: the `Referer` of every request with it, which is among ``headers``, too.
  public let referer: String?
  public let expiresAt: Timestamp
  /// When it is worth asking again.
  public let refreshAt: Timestamp
  /// The pattern of the connection that covered the URL.
  public let matched: String
  /// The way by the proxy, where a layer leaves in no answer: with ``headers`` alone the resource is not reached.
  public var proxy: ProxyReferral?

  public init(
    connection: ConnectionID, token: Secret, headers: [(name: String, value: Secret)],
    referer: String? = nil, expiresAt: Timestamp, refreshAt: Timestamp, matched: String
  ) {
    self.connection = connection
    self.token = token
    self.headers = headers
    self.referer = referer
    self.expiresAt = expiresAt
    self.refreshAt = refreshAt
    self.matched = matched
  }
}
