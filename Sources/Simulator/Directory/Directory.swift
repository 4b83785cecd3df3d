internal import Crypto
internal import HTTP
internal import JOSE
internal import JSON

/// The pretended Microsoft Entra directory of one organisation, and what its App Proxy remembers of browsers.
///
/// A value without I/O and clock, like ``Portal``; it shares the portal's users and registered apps.
struct Directory: Sendable {
  /// The organisation's tenant id.
  static let tenantID = "6f0c1a52-9d3b-4a7e-8c21-5b1d7e3f9a04"
  /// The app that App Proxy itself signs browsers in with.
  static let proxyClientID = "app-proxy"
  /// Keys that are published: the one that signs, first, and those before it.
  private static let publishedKeys = 2

  let configuration: SimulatorConfiguration
  /// Made when one is needed, since an RSA key takes its time.
  private(set) var keys: [DirectoryKey] = []
  /// Sign-in forms that were shown and not sent back yet, by form id.
  var forms: [String: DirectoryRequest] = [:]
  /// Codes, also used ones: using one again has an error of its own.
  var codes: [String: DirectoryCode] = [:]
  var refreshTokens: [String: DirectoryRefreshToken] = [:]
  /// The users whose browsers are signed in to the directory, by cookie.
  var browsers: [String: String] = [:]
  /// The users whose browsers App Proxy lets through, by cookie.
  var proxyBrowsers: [String: String] = [:]

  init(_ configuration: SimulatorConfiguration) { self.configuration = configuration }

  /// Carries out a call to `login.localhost` and answers it; refusals are answers too.
  mutating func answer(_ call: Call, at route: Route) -> Response {
    do throws(DirectoryError) {
      let tenant = route.names.first ?? ""
      guard Self.isTenant(tenant) else { throw .unknownTenant }
      return switch route.endpoint {
      case .loginDiscovery: .json(Self.metadata(of: tenant, call.host))
      case .loginKeys: .json(try published(call.host))
      case .loginAuthorize: authorize(call, tenant)
      case .loginProxyAuthorize: authorizeProxy(call)
      case .loginSignIn: signIn(call)
      case .loginToken: .json(try token(call))
      case .loginLogout: signOut(call)
      default: .page(Page(title: "Not found", content: "<p>Nothing is here.</p>"), status: .notFound)
      }
    } catch {
      return error.response(at: call.now)
    }
  }

  /// Begins to sign with a new key; the former one stays published.
  mutating func rotateKey() throws(DirectoryError) {
    keys = Array(([try DirectoryKey()] + keys).prefix(Self.publishedKeys))
  }

  /// The key that signs.
  mutating func currentKey() throws(DirectoryError) -> DirectoryKey {
    if let key = keys.first { return key }
    let key = try DirectoryKey()
    keys = [key]
    return key
  }

  /// Kills the refresh tokens and codes of a user; returns how many tokens died.
  mutating func revokeAll(of user: String) -> Int {
    let before = refreshTokens.count
    refreshTokens = refreshTokens.filter { $0.value.user != user }
    codes = codes.filter { $0.value.user != user }
    return before - refreshTokens.count
  }

  static func isTenant(_ name: String) -> Bool {
    [tenantID, "common", "organizations"].contains(name.lowercased())
  }

  /// What ID tokens name as their issuer.
  static func issuer(_ host: CalledHost) -> String { base(host) + "/\(tenantID)/v2.0" }

  static func base(_ host: CalledHost) -> String { host.origin(ofHost: CalledHost.login) }

  /// The discovery document; of `common` and `organizations` with a template in place of the issuer.
  private static func metadata(of tenant: String, _ host: CalledHost) -> JSONValue {
    let root = base(host) + "/" + tenant
    let issuer = tenant.lowercased() == tenantID ? Self.issuer(host) : base(host) + "/{tenantid}/v2.0"
    return [
      "issuer": .string(issuer), "authorization_endpoint": .string(root + "/oauth2/v2.0/authorize"),
      "token_endpoint": .string(root + "/oauth2/v2.0/token"),
      "end_session_endpoint": .string(root + "/oauth2/v2.0/logout"),
      "jwks_uri": .string(root + "/discovery/v2.0/keys"), "response_types_supported": ["code", "id_token"],
      "response_modes_supported": ["query", "fragment", "form_post"], "subject_types_supported": ["pairwise"],
      "id_token_signing_alg_values_supported": ["RS256"],
      "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
    ]
  }

  private mutating func published(_ host: CalledHost) throws(DirectoryError) -> JSONValue {
    _ = try currentKey()
    let issuer = JSONValue.string(Self.base(host) + "/{tenantid}/v2.0")
    return [
      "keys": .array(
        keys.map { key in .object((key.jwk.json.object ?? []) + [JSONValue.Member("issuer", issuer)]) })
    ]
  }
}

/// An app's valid request for a code.
struct DirectoryRequest: Sendable, Equatable {
  let clientID: String
  let redirectURI: String
  let state: String?
  let nonce: String?
  /// The S256 challenge; App Proxy's own sign-in has none.
  let challenge: String?
  let scope: [String]
  let expiresAt: Moment
}

/// A code that was sent to an app.
struct DirectoryCode: Sendable {
  let request: DirectoryRequest
  let user: String
  let expiresAt: Moment
  var isUsed = false
}

/// What a refresh token stands for; using it leaves it good.
struct DirectoryRefreshToken: Sendable, Equatable {
  let user: String
  let clientID: String
  let expiresAt: Moment
}
