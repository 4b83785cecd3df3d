internal import HTTP

/// What an access token stands for.
struct AccessToken: Sendable, Equatable {
  /// Where the token is good.
  enum Audience: Sendable, Equatable {
    case portal
    /// The federated server at this root, for example `http://server.localhost:8090/server`.
    case server(String)
  }

  /// What a call must come with, beside the token.
  enum Binding: Sendable, Equatable {
    case none
    case referer(String)
    case address(String)
  }

  var audience = Audience.portal
  /// `nil` for an app's own token.
  let user: String?
  /// The app it was issued to; `nil` for a token made with a password.
  let clientID: String?
  let expiresAt: Moment
  /// The refresh token with which it dies.
  ///
  /// A server token inherits it from the portal token it was made with, as if the server asked the portal about every
  /// token; what a real portal does here is not documented.
  var refreshToken: String?
  var binding = Binding.none

  /// Tokens of apps themselves and tokens made with a password live until they expire.
  var isRevocable: Bool { refreshToken != nil && audience == .portal }
}

/// What a refresh token stands for.
struct RefreshToken: Sendable, Equatable {
  let user: String
  let clientID: String
  /// Seconds it was issued for; what it is exchanged for lives as long again.
  let lifetime: Int
  let expiresAt: Moment
}

/// Lifetimes in seconds as Esri documents them.
enum Lifetime {
  static let code = 600
  static let form = 3_600
  /// After a sign-in or a refresh.
  static let userAccess = 1_800
  /// Of `client_credentials`, `generateToken` and server tokens, unless asked otherwise.
  static let access = 120 * 60
  static let longestAccess = 20_160 * 60
  static let refresh = 20_160 * 60
  static let longestRefresh = 129_600 * 60

  /// The lifetime for `minutes` asked: too long is clamped silently, -1 is the longest, 0 the default.
  ///
  /// - Returns: `nil` when `minutes` is no number that can be asked for.
  static func clamp(_ minutes: String?, default usual: Int, longest: Int) -> Int? {
    guard let minutes else { return usual }
    guard let number = Int(minutes), number >= -1 else { return nil }
    switch number {
    case -1: return longest
    case 0: return usual
    default: return min(number, longest / 60) * 60
    }
  }
}

extension Portal {
  func accessLifetime(_ documented: Int) -> Int { min(documented, configuration.accessLifetime ?? documented) }

  func refreshLifetime(_ documented: Int) -> Int { min(documented, configuration.refreshLifetime ?? documented) }

  /// Issues an access token that lives `lifetime` seconds.
  mutating func mint(_ make: (_ expiresAt: Moment) -> AccessToken, for lifetime: Int, at now: Moment) -> String {
    sweepNowAndThen(at: now)
    let name = randomName()
    accessTokens[name] = make(now.adding(seconds: lifetime))
    return name
  }

  mutating func mintRefreshToken(user: String, clientID: String, lifetime: Int, at now: Moment) -> String {
    let name = randomName()
    refreshTokens[name] = RefreshToken(
      user: user, clientID: clientID, lifetime: lifetime, expiresAt: now.adding(seconds: lifetime))
    return name
  }

  /// Kills a refresh token with all access tokens that came from it.
  mutating func endRefreshToken(_ name: String) {
    refreshTokens[name] = nil
    accessTokens = accessTokens.filter { $0.value.refreshToken != name }
  }

  /// Whom the call's token speaks for; `nil` when it presents none.
  ///
  /// - Throws: 498 for a token that is unknown, expired, made for another place, or bound to another caller.
  func holder(of call: Call, at audience: AccessToken.Audience) throws(PortalError) -> AccessToken? {
    guard let name = call.token else { return nil }
    guard let token = accessTokens[name], token.expiresAt > call.now,
      accepts(token, at: audience), isMet(token.binding, by: call)
    else { throw .invalidToken }
    return token
  }

  private func accepts(_ token: AccessToken, at audience: AccessToken.Audience) -> Bool {
    token.audience == audience || configuration.serverAcceptsPortalTokens && token.audience == .portal
  }

  private func isMet(_ binding: AccessToken.Binding, by call: Call) -> Bool {
    switch binding {
    case .none: true
    case .referer(let referer): call.request.headers["referer"] == referer
    case .address(let address): call.request.remoteAddress == address
    }
  }
}
