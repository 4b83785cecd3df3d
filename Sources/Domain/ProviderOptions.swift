/// How people sign in to a provider, and where it departs from the standards.
public struct ProviderOptions: Sendable, Equatable {
  /// Of a provider without discovery, typed by an administrator; `nil` when its discovery document says all that.
  public var endpoints: OAuthEndpoints?
  public var quirks: ProviderQuirks

  public init(endpoints: OAuthEndpoints? = nil, quirks: ProviderQuirks = ProviderQuirks()) {
    self.endpoints = endpoints
    self.quirks = quirks
  }
}

/// The endpoints of a plain OAuth 2 provider, which has no ID tokens: who somebody is, its user endpoint says.
public struct OAuthEndpoints: Sendable, Equatable {
  public var authorization: String
  public var token: String
  /// Absent when the provider cannot cancel tokens; `{client_id}` in it stands for our id there.
  public var revocation: String?
  /// Answers a GET with the access token by a JSON object about the person.
  public var user: String
  /// The member of that object which names the person for good: a text or a whole number.
  public var subjectMember: String
  /// The member that people know the person by.
  public var nameMember: String

  public init(
    authorization: String, token: String, revocation: String? = nil, user: String,
    subjectMember: String = Self.standardSubject, nameMember: String = Self.standardName
  ) {
    self.authorization = authorization
    self.token = token
    self.revocation = revocation
    self.user = user
    self.subjectMember = subjectMember
    self.nameMember = nameMember
  }

  /// As OpenID Connect calls them (Core §5.1).
  public static let standardSubject = "sub"
  public static let standardName = "preferred_username"

  public var all: [String] { [authorization, token, user] + [revocation].compactMap { $0 } }
}

/// Where a provider departs from what the standards let expect.
public struct ProviderQuirks: Sendable, Equatable {
  /// Sent with every authorization request besides the standard ones, such as `access_type=offline`.
  public var authorizationParameters: [AuthorizationParameter] = []
  /// What `prompt` asks for when the person shall sign in anew.
  public var loginPrompt = Self.standardLoginPrompt
  public var usesPKCE = true
  /// How the token endpoint wants to be shown our secret; `nil` is as the provider announces it, else by Basic.
  public var clientAuthentication: ClientAuthentication?
  /// Whether a shared discovery document names its issuer with `{tenantid}`, and ID tokens that of their `tid`.
  public var namesTenantIssuers = false
  /// Whether callbacks may carry an `iss` that the discovery document does not announce; it must be right all the same.
  public var sendsUnannouncedIssuer = false
  /// Whether logout tokens may lack `exp`, which was not demanded of them before 2023; they count for ten minutes then.
  public var omitsLogoutExpiry = false
  public var revocation = RevocationWay.eachToken
  /// Whether a token that comes without a lifetime and without a refresh token works until somebody cancels it.
  public var tokensNeverExpire = false

  public init() {}

  public static let standardLoginPrompt = "login"

  /// Parameters that a request has anyway, and that no option may replace; a `prompt` stands beside ours.
  public static let reservedParameters: Set = [
    "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
    "request", "request_uri", "response_mode",
  ]

  /// The value of `prompt`: what the provider always needs and, for a new sign-in, what asks for one.
  public func prompt(forcesLogin: Bool) -> String? {
    let always = authorizationParameters.filter { $0.name == "prompt" }.map(\.value)
    let words = (forcesLogin ? [loginPrompt] : []) + always
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}

/// One more parameter of an authorization request.
public struct AuthorizationParameter: Sendable, Equatable {
  public let name: String
  public let value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Reads `name=value`; `nil` when that is no parameter, or one that a request has anyway.
  public init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, text.utf8.count <= 1000 else { return nil }
    guard parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    guard !ProviderQuirks.reservedParameters.contains(String(parts[0])) else { return nil }
    self.init(name: String(parts[0]), value: String(parts[1]))
  }

  public var text: String { "\(name)=\(value)" }
}

/// How we show a provider that a request comes from our client (RFC 6749 §2.3.1).
public enum ClientAuthentication: String, Sendable, CaseIterable {
  /// In the `Authorization` field.
  case basic
  /// In the form.
  case post
}

/// What a provider must be told so that its tokens stop working.
public enum RevocationWay: String, Sendable, CaseIterable {
  /// The refresh token, then the access token (RFC 7009 §2.1).
  case eachToken
  /// One of them, since both end together: the refresh token where there is one.
  case oneToken
  /// The refresh token alone; an access token cannot be revoked and runs out.
  case refreshToken
  /// A DELETE with the access token in a JSON object, as GitHub wants it.
  case deletion
}

extension Connection {
  /// Whether the upstream can be told to cancel tokens, as far as is known without asking it.
  public var canRevoke: Bool {
    guard let endpoints = provider.endpoints, kind == .oidc else { return kind.canRevoke }
    return endpoints.revocation != nil
  }
}
