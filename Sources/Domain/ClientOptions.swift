/// What a client was registered with beyond its grants (RFC 7591 §2 and extensions).
///
/// Every option has a default, so that a client made with a name and a redirect URI is a strict one.
public struct ClientOptions: Sendable, Equatable {
  /// Which rules the client is held to.
  public enum Profile: String, Sendable, CaseIterable {
    /// OAuth 2.1: PKCE always.
    case oauth21
    /// For OpenID Connect clients that know no PKCE (OAuth 2.1 §7.5.1): PKCE only if they send it.
    case oidcBasic = "oidc-basic"
    /// FAPI 2.0 Security Profile: pushed requests, keys instead of secrets, tokens bound to a key.
    case fapi2
  }

  /// Where a client's public keys are (RFC 7591 §2).
  public enum Keys: Sendable, Equatable {
    /// A JWK set, in JSON.
    case inline(String)
    /// Fetched from an https URL.
    case at(String)
  }

  public var profile = Profile.oauth21
  public var authentication = ClientAuthenticationMethod.secret
  public var keys: Keys?
  /// For ``ClientAuthenticationMethod/tlsAuthority`` alone.
  public var certificateSubject: CertificateSubject?
  /// The JOSE name of what signs its ID tokens; `nil` for the profile's own.
  public var idTokenAlgorithm: String?
  /// What may sign ID tokens, by the JOSE names.
  public static let idTokenAlgorithms = ["RS256", "PS256", "ES256", "EdDSA"]
  /// Userinfo is answered as a JWT, signed as its ID tokens are (OpenID Connect Core §5.3.2).
  public var signsUserInfo = false
  /// Every token is bound to a DPoP key of the client (RFC 9449 §5.2).
  public var requiresDPoP = false
  /// A DPoP proof has to hold a nonce that we gave (RFC 9449 §8), so that none can be made beforehand.
  public var requiresDPoPNonce = false
  /// Every token is bound to the client's certificate (RFC 8705 §3.4).
  public var bindsToCertificate = false
  /// Only what was pushed before is taken at the authorization endpoint (RFC 9126 §6).
  public var requiresPushedRequests = false
  /// A client assertion may name the token endpoint as its audience, which only old libraries still do.
  public var takesEndpointAudience = false
  /// Where people may go on after the client signed them out (OpenID Connect RP-Initiated Logout §2).
  public var postLogoutRedirectURIs: [RedirectURI] = []
  /// Where the client is told that a session has ended (OpenID Connect Back-Channel Logout §2.2).
  public var backchannelLogoutURI: String?
  /// Whether a logout token must name the session.
  public var backchannelNeedsSession = false
  /// What its unattended jobs sign their requests with: a JWK set, in JSON, without a key that the client authenticates
  /// with.
  public var unattendedKeys: String?
  /// Where these jobs run, in CIDR form.
  public var unattendedNetworks: [String] = []

  public init() {}
}

/// How a client proves who it is, by the names of RFC 7591 §2.
public enum ClientAuthenticationMethod: String, Sendable, CaseIterable {
  /// With its secret, in the header or in the form.
  case secret = "client_secret"
  case secretBasic = "client_secret_basic"
  case secretPost = "client_secret_post"
  case privateKeyJWT = "private_key_jwt"
  /// By a certificate of a known authority (RFC 8705 §2.1).
  case tlsAuthority = "tls_client_auth"
  /// By a certificate that it registered itself (RFC 8705 §2.2).
  case tlsSelfSigned = "self_signed_tls_client_auth"
  /// Not at all: a public client.
  case none

  public var usesSecret: Bool { [.secret, .secretBasic, .secretPost].contains(self) }
  public var usesCertificate: Bool { [.tlsAuthority, .tlsSelfSigned].contains(self) }
}

/// What the certificate of a client has to name; exactly one of them is registered (RFC 8705 §2.1.2).
public struct CertificateSubject: Sendable, Equatable {
  public enum Field: String, Sendable, CaseIterable {
    /// In the form of RFC 4514.
    case distinguishedName = "tls_client_auth_subject_dn"
    case dnsName = "tls_client_auth_san_dns"
    case uri = "tls_client_auth_san_uri"
    case address = "tls_client_auth_san_ip"
    case email = "tls_client_auth_san_email"
  }

  public let field: Field
  public let value: String

  public init(field: Field, value: String) {
    self.field = field
    self.value = value
  }
}

extension Client {
  /// How it proves who it is; a public one never does.
  public var authentication: ClientAuthenticationMethod { kind == .public ? .none : options.authentication }

  /// Whether a request without PKCE is refused.
  public var requiresPKCE: Bool { options.profile != .oidcBasic || kind == .public }

  /// How answers may come to it: with FAPI by a redirect alone.
  public var responseModes: [AuthorizationRequest.ResponseMode] {
    options.profile == .fapi2 ? [.query] : AuthorizationRequest.ResponseMode.allCases
  }

  public var requiresPushedRequests: Bool { options.requiresPushedRequests || options.profile == .fapi2 }

  /// Whether its tokens must be bound to a key of its own, whichever way.
  public var requiresBoundTokens: Bool {
    options.requiresDPoP || options.bindsToCertificate || options.profile == .fapi2
  }

  /// Whether its tokens are bound to its certificate, and not to a DPoP key.
  public var bindsToCertificate: Bool {
    options.bindsToCertificate
      || options.profile == .fapi2 && authentication.usesCertificate && !options.requiresDPoP
  }

  public var requiresDPoPNonce: Bool { options.requiresDPoPNonce || options.profile == .fapi2 }

  /// The JOSE name of what signs its ID tokens: RS256, which every OpenID Connect client knows (Core §15.1), unless FAPI
  /// forbids it (§5.4.1).
  public var idTokenAlgorithm: String { options.idTokenAlgorithm ?? (options.profile == .fapi2 ? "ES256" : "RS256") }
}

extension Client {
  /// Its options as they come to count: what the profile implies, too.
  public var effectiveOptions: ClientOptions {
    var effective = options
    effective.authentication = authentication
    effective.idTokenAlgorithm = idTokenAlgorithm
    effective.requiresDPoPNonce = requiresDPoPNonce
    effective.bindsToCertificate = bindsToCertificate
    effective.requiresPushedRequests = requiresPushedRequests
    return effective
  }

  /// What forbids its options, with the field to mend.
  var optionObjections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    if kind == .public, options.profile != .oauth21 {
      found.append(("profile", "A public client has the profile oauth21: the others rest on a secret or a key."))
    }
    if kind == .public, ![.secret, .none].contains(options.authentication) {
      let text = "A public client does not prove who it is: register it as confidential, or leave the method out."
      found.append(("authentication", text))
    }
    if kind == .confidential, options.authentication == .none {
      found.append(("authentication", "A confidential client has to prove who it is; choose how."))
    }
    if let text = keyObjection { found.append(("keys", text)) }
    if (authentication == .tlsAuthority) != (options.certificateSubject != nil) {
      let text = "tls_client_auth needs one subject that the certificate has to name, and no other method has one."
      found.append(("certificate_subject", text))
    }
    if let uri = Client.repeated(options.postLogoutRedirectURIs) {
      found.append(("post_logout_redirect_uris", "The post-logout redirect URI \(uri) stands twice. Name it once."))
    }
    if options.profile == .fapi2, let text = financialObjection { found.append(("profile", text)) }
    if let uri = options.backchannelLogoutURI, !(ResourceURL(uri).map { $0.isHTTPS || $0.isLoopback } ?? false) {
      found.append(("backchannel_logout_uri", "The back-channel logout URI is https, without a fragment."))
    }
    return found
  }

  private var keyObjection: String? {
    switch (authentication, options.keys) {
    case (.privateKeyJWT, nil), (.tlsSelfSigned, nil):
      "\(authentication.rawValue) needs the client's keys: a JWK set, or the https URL of one."
    case (_, .at(let url)?) where !(ResourceURL(url).map { $0.isHTTPS || $0.isLoopback } ?? false):
      "The URL of the keys is https, without a fragment."
    default: nil
    }
  }

  /// What FAPI 2.0 §5.3.2.1 forbids.
  private var financialObjection: String? {
    if authentication.usesSecret { return "fapi2 takes no secret: use private_key_jwt or a client certificate." }
    if idTokenAlgorithm == "RS256" { return "fapi2 takes no RS256: use ES256, PS256 or EdDSA." }
    return nil
  }
}
