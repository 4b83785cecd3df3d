internal import Crypto
internal import HTTP
internal import JSON

/// The pretended portal with its federated server: everything it remembers, and what it answers.
///
/// A value without I/O and clock; whoever owns it serialises the calls.
struct Portal: Sendable {
  let configuration: SimulatorConfiguration
  /// Sign-in forms that were shown and not sent back yet, by form id.
  var forms: [String: AuthorizeRequest] = [:]
  var codes: [String: IssuedCode] = [:]
  var refreshTokens: [String: RefreshToken] = [:]
  var accessTokens: [String: AccessToken] = [:]
  /// The API key that stands in each slot.
  var keys: [KeySlot: String] = [:]
  /// The names of the users whose browsers are signed in, by cookie.
  var browsers: [String: String] = [:]
  var lockouts = Lockouts()
  private var mintsUntilSweep = Portal.sweepInterval

  private static let sweepInterval = 5_000

  init(_ configuration: SimulatorConfiguration) { self.configuration = configuration }

  /// Carries out a call and answers it; refusals are answers too.
  mutating func answer(_ call: Call, at route: Route) -> Response {
    do throws(PortalError) {
      return try respond(to: call, at: route)
    } catch {
      return error.oauthError == nil ? .reply(error.json, to: call) : .json(error.json)
    }
  }

  private mutating func respond(to call: Call, at route: Route) throws(PortalError) -> Response {
    switch route.endpoint {
    case .home: .page(.home(configuration))
    case .authorize: authorize(call, route)
    case .signIn: signIn(call, route)
    case .signOut: signOut(call)
    case .token: .json(try token(call))
    case .revokeToken: .reply(try revokeToken(call), to: call)
    case .generateToken: .reply(try generateToken(call), to: call)
    case .portalRoot, .portalInfo, .portalsSelf, .portalServers, .communitySelf, .communityUser:
      .reply(try identity(call, route), to: call)
    case .search, .userContent, .groupContent: .reply(try listing(route, call), to: call)
    case .item: .reply(try item(route, call), to: call)
    case .itemData: .reply(try itemData(route, call), to: call)
    case .serverInfo, .serverCatalog, .serverService, .serverLayer, .serverQuery:
      .reply(try server(call, route), to: call)
    case .stranger: .reply(try stranger(route), to: call)
    case .loginDiscovery, .loginKeys, .loginAuthorize, .loginProxyAuthorize, .loginSignIn, .loginToken, .loginLogout,
      .appProxy:
      throw .notFound("The portal has nothing here.")
    }
  }

  /// A new random name for a token, a code, a form or a cookie.
  static func randomName() -> String { Random.token() }

  func randomName() -> String { Self.randomName() }

  /// Kills every token and code of a user; browsers stay signed in.
  ///
  /// - Returns: how many access and refresh tokens died.
  mutating func revokeAll(of user: String) -> Int {
    let before = accessTokens.count + refreshTokens.count
    accessTokens = accessTokens.filter { $0.value.user != user }
    refreshTokens = refreshTokens.filter { $0.value.user != user }
    codes = codes.filter { $0.value.user != user }
    return before - accessTokens.count - refreshTokens.count
  }

  /// Forgets, now and then, what has expired, so that long runs do not eat the memory.
  mutating func sweepNowAndThen(at now: Moment) {
    mintsUntilSweep -= 1
    guard mintsUntilSweep <= 0 else { return }
    mintsUntilSweep = Self.sweepInterval
    accessTokens = accessTokens.filter { $0.value.expiresAt > now }
    refreshTokens = refreshTokens.filter { $0.value.expiresAt.adding(seconds: 86_400) > now }
    codes = codes.filter { $0.value.expiresAt > now }
    forms = forms.filter { $0.value.expiresAt > now }
  }
}
