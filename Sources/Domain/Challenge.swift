/// What a URL demands before it answers: the outermost layer that nobody has satisfied yet.
///
/// Layers peel from the outside in: the network, then an identity-aware proxy, then the service itself (``ChallengeLayer``).
public enum Challenge: Sendable, Equatable {
  /// It answers anybody.
  case none
  case network(NetworkChallenge)
  /// An identity-aware proxy sends browsers to the identity provider at `host`.
  case identityAwareProxy(host: String)
  case arcGIS(ArcGISChallenge)
  /// An OAuth 2 access token in `Authorization: Bearer` (RFC 6750 §3).
  case accessToken(realm: String?)
  /// It knows whose credentials it was shown, and does not let them have this.
  case forbidden
  /// None of these, in one sentence that says what was seen.
  case unknown(String)
}

extension Challenge {
  /// The kinds of connection whose credentials can meet it; none when it demands nothing, or nothing that there is a
  /// kind for.
  public var kinds: [Connection.Kind] {
    switch self {
    case .arcGIS(let wanted):
      switch wanted.signIn {
      case .oauth: [.oauthUser, .token, .pregeneratedToken, .oauthApplication]
      case .token: [.token]
      case nil: []
      }
    case .identityAwareProxy: [.iap]
    case .accessToken: [.oidc]
    case .network(.clientCertificate): [.certificate]
    case .network(.authentication(let offers)):
      (offers.contains { $0.scheme == .negotiate } ? [.kerberos] : [])
        + (offers.contains { $0.scheme != .negotiate } ? [.password] : [])
    case .none, .network, .forbidden, .unknown: []
    }
  }

  /// The layer that demands it; `nil` when no credential would help.
  public var layer: ChallengeLayer? {
    switch self {
    case .network(.serverTrust), .none, .forbidden, .unknown: nil
    case .network: .network
    case .identityAwareProxy: .proxy
    case .arcGIS, .accessToken: .service
    }
  }
}

/// The layers in front of a resource, from the outside in; one credential opens each.
public enum ChallengeLayer: Int, Sendable, CaseIterable {
  /// HTTP authentication and client certificates.
  case network
  /// An identity-aware proxy.
  case proxy
  /// The service that the resource belongs to.
  case service

  public static let fromInside: [ChallengeLayer] = allCases.reversed()

  public func isOutside(_ other: ChallengeLayer) -> Bool { rawValue < other.rawValue }
}

extension Connection.Kind {
  /// The layer that its credentials open.
  public var layer: ChallengeLayer { isNetwork ? .network : self == .iap ? .proxy : .service }
}

/// What the TLS handshake or the web server demands.
public enum NetworkChallenge: Sendable, Equatable {
  /// The names of the authorities whose certificates are accepted; empty when the server names none.
  case clientCertificate(authorities: [String])
  /// Nobody is asked for anything, but the server is not who it should be.
  case serverTrust(Distrust)
  /// The schemes of HTTP authentication that are offered, in the order of the offer; never empty.
  case authentication([AuthenticationOffer])
}

/// Why a server's certificate is not trusted.
public enum Distrust: String, Sendable, CaseIterable {
  case unknownAuthority = "unknown_authority"
  case expired
  case notYetValid = "not_yet_valid"
  /// It is made out to another host.
  case otherHost = "other_host"
  case other
}

/// One offered scheme of HTTP authentication (RFC 9110 §11.6.1).
public struct AuthenticationOffer: Sendable, Equatable {
  /// The schemes that can be met, the best first.
  public enum Scheme: String, Sendable, CaseIterable {
    /// SPNEGO (RFC 4559), with a Kerberos ticket.
    case negotiate
    case digest
    case ntlm
    case basic
  }

  public let scheme: Scheme
  public let realm: String?

  public init(_ scheme: Scheme, realm: String? = nil) {
    self.scheme = scheme
    self.realm = realm
  }

  /// The offer to take: Kerberos, Digest, NTLM, and Basic over https only, since it shows the password to everybody on
  /// the way; `nil` when none may be taken.
  ///
  /// One is chosen and stays chosen: falling back to a weaker one would let whoever stands between ask for it.
  public static func best(of offers: [AuthenticationOffer], overHTTPS: Bool) -> AuthenticationOffer? {
    Scheme.allCases.lazy.filter { $0 != .basic || overHTTPS }
      .compactMap { scheme in offers.first { $0.scheme == scheme } }.first
  }
}

/// Whose token an ArcGIS resource wants.
public struct ArcGISChallenge: Sendable, Equatable {
  /// The portal that the server belongs to, by its own word; `nil` when it stands alone, or does not say.
  public let portal: String?
  /// Where a user name and password are exchanged for a token.
  public let tokenService: String?

  public init(portal: String?, tokenService: String?) {
    self.portal = portal
    self.tokenService = tokenService
  }

  /// How one gets the token.
  public enum SignIn: String, Sendable {
    /// People sign in at the portal.
    case oauth
    /// The token service takes a user name and password.
    case token
  }

  /// Every portal signs people in; a server that stands alone knows tokens only.
  ///
  /// `nil` when it says nothing of either.
  public var signIn: SignIn? { portal != nil ? .oauth : tokenService != nil ? .token : nil }
}
