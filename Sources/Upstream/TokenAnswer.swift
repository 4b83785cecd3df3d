internal import Domain
internal import JSON

/// The members of a token endpoint's success answer that count (RFC 6749 §5.1), read leniently.
///
/// Lenient where upstreams differ: no `token_type` (ArcGIS), numbers as strings, no `expires_in`, unknown members.
/// Strict where a slip would cost: the token's characters, a token type that is not Bearer.
struct TokenAnswer {
  /// In seconds; what a token is trusted for when the upstream does not say.
  static let unstatedLifetime: Int64 = 5 * 60
  /// In seconds; longer promises are cut, so that no arithmetic overflows.
  static let longestLifetime: Int64 = 10 * 365 * 24 * 60 * 60
  /// In bytes of one token.
  static let longestToken = 16 * 1024

  let accessToken: Secret
  let expiresIn: Int64
  /// Whether ``expiresIn`` is the upstream's word, and not our caution.
  let statesLifetime: Bool
  let refreshToken: Secret?
  /// In seconds; ArcGIS and some others say it.
  let refreshExpiresIn: Int64?
  let idToken: Secret?
  let scope: String?
  /// ArcGIS names the person beside the token.
  let username: String?

  /// - Throws: `invalidAnswer` when there is no usable access token.
  init(_ json: JSONValue, host: String) throws(UpstreamFailure) {
    guard let access = try Self.token("access_token", in: json, host: host) else {
      throw .invalidAnswer("\(host) answered without access_token.")
    }
    if let type = json.string("token_type"), type.lowercased() != "bearer" {
      throw .invalidAnswer("\(host) issued a token of the type \(LogText.clean(type)), which is not supported.")
    }
    accessToken = access
    let stated = Self.seconds("expires_in", in: json)
    expiresIn = stated ?? Self.unstatedLifetime
    statesLifetime = stated != nil
    refreshToken = try Self.token("refresh_token", in: json, host: host)
    refreshExpiresIn =
      Self.seconds("refresh_token_expires_in", in: json) ?? Self.seconds("refresh_expires_in", in: json)
    idToken = try Self.token("id_token", in: json, host: host)
    scope = json.string("scope")
    username = json.string("username").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The tokens with their moments, counted from when they were asked for.
  ///
  /// `unstated` are the seconds that a new refresh token lives when the answer does not say.
  func tokens(askedAt: Timestamp, unstatedRefreshLifetime unstated: Int64? = nil) -> UpstreamTokens {
    let refreshLifetime = refreshExpiresIn ?? (refreshToken == nil ? nil : unstated)
    return UpstreamTokens(
      accessToken: accessToken, accessExpiresAt: askedAt + expiresIn, refreshToken: refreshToken,
      refreshExpiresAt: refreshLifetime.map { askedAt + $0 }, idToken: idToken, scope: scope)
  }

  /// The tokens of a provider with `quirks`: one without a lifetime may be good until somebody cancels it.
  func tokens(askedAt: Timestamp, _ quirks: ProviderQuirks) -> UpstreamTokens {
    let tokens = tokens(askedAt: askedAt)
    guard quirks.tokensNeverExpire, !statesLifetime, refreshToken == nil else { return tokens }
    return UpstreamTokens(
      accessToken: accessToken, accessExpiresAt: .never, refreshToken: nil, idToken: idToken, scope: scope)
  }

  /// A token of visible ASCII characters, so that it can stand in a header field; an empty one counts as absent.
  private static func token(_ name: String, in json: JSONValue, host: String) throws(UpstreamFailure) -> Secret? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let text = value.string, text.utf8.count <= longestToken, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw .invalidAnswer("\(host) answered with an unusable \(name).") }
    return text.isEmpty ? nil : Secret(text)
  }

  /// A positive number of seconds, also when it is written as a string.
  static func seconds(_ name: String, in json: JSONValue) -> Int64? {
    count(name, in: json).flatMap { $0 > 0 ? min($0, longestLifetime) : nil }
  }

  /// A whole number, also when it is written with a fraction or as a string.
  static func count(_ name: String, in json: JSONValue) -> Int64? {
    json.integer(name) ?? json.number(name).flatMap { Int64(exactly: $0.rounded(.down)) }
      ?? json.string(name).flatMap { Int64($0) }
  }
}
