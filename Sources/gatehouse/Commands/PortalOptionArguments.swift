import Domain

/// The options of `connection create` that say how people sign in to an ArcGIS portal, as the form of the dashboard has
/// them.
enum PortalOptionArguments {
  private static let refreshTokenLifetime = Option(
    "--refresh-token-lifetime", "MINUTES",
    "For oauthUser: how long a person stays signed in to the portal; -1 for the longest it allows, two weeks unless given."
  )
  private static let exchangeBelow = Option(
    "--exchange-below", "HOURS",
    "For oauthUser: when a refresh token has less left than this, a new one is asked for; 24 unless given.")
  private static let federatedMinutes = Option(
    "--federated-minutes", "MINUTES",
    "For ArcGIS kinds: how long tokens for federated servers live; 60 unless given.")
  private static let tokenMinutes = Option(
    "--token-minutes", "MINUTES",
    "For token and oauthApplication: how long a token lives, which cannot be cancelled; 120 unless given.")
  private static let locale = Option(
    "--locale", "TAG", "For oauthUser: the language of the portal's sign-in page, such as sv.")
  private static let style = Option(
    "--page-style", "STYLE", "For oauthUser: the look of the portal's sign-in page: light or dark.")
  private static let forceLogin = Option(
    switch: "--force-login", "For oauthUser: always ask for the password, also when somebody is signed in there.")

  static let all = [
    refreshTokenLifetime, exchangeBelow, federatedMinutes, tokenMinutes, locale, style, forceLogin,
  ]

  private static func others(than kind: Connection.Kind) -> [Option] {
    switch kind {
    case .oauthUser: [tokenMinutes]
    case .token, .oauthApplication: [refreshTokenLifetime, exchangeBelow, locale, style, forceLogin]
    case .pregeneratedToken: [refreshTokenLifetime, exchangeBelow, tokenMinutes, locale, style, forceLogin]
    case .oidc, .iap, .apiKey, .password, .kerberos, .certificate: all
    }
  }

  /// What was given, in place of what `before` has.
  static func read(
    _ arguments: Arguments, _ kind: Connection.Kind, changing before: PortalOptions = PortalOptions()
  ) throws(UsageFailure) -> PortalOptions {
    if let given = others(than: kind).first(where: arguments.has) {
      throw UsageFailure("\(given.name) is not for the kind \(kind.rawValue).")
    }
    var options = before
    if let minutes = try number(refreshTokenLifetime, arguments) { options.refreshTokenMinutes = minutes }
    if let hours = try number(exchangeBelow, arguments) { options.exchangeBelowSeconds = hours * 3600 }
    if let minutes = try number(federatedMinutes, arguments) { options.federatedTokenMinutes = minutes }
    if let minutes = try number(tokenMinutes, arguments) { options.tokenMinutes = minutes }
    options.locale = arguments.value(of: locale) ?? options.locale
    let styles = try arguments.values(of: style, "light or dark") { ["light", "dark"].contains($0) ? $0 : nil }
    options.style = styles.first ?? options.style
    if arguments.has(forceLogin) { options.forcesLogin = true }
    return options
  }

  /// Takes one back that was given before, by its name; `false` when it is none of these.
  static func reset(_ name: String, of options: inout PortalOptions) -> Bool {
    let plain = PortalOptions()
    switch name {
    case refreshTokenLifetime.name: options.refreshTokenMinutes = plain.refreshTokenMinutes
    case exchangeBelow.name: options.exchangeBelowSeconds = plain.exchangeBelowSeconds
    case federatedMinutes.name: options.federatedTokenMinutes = plain.federatedTokenMinutes
    case tokenMinutes.name: options.tokenMinutes = plain.tokenMinutes
    case locale.name: options.locale = nil
    case style.name: options.style = nil
    case forceLogin.name: options.forcesLogin = false
    default: return false
    }
    return true
  }

  /// A whole number small enough to calculate with.
  private static func number(_ option: Option, _ arguments: Arguments) throws(UsageFailure) -> Int64? {
    try arguments.values(of: option, "a whole number") { text in
      Int64(text).flatMap { (-1...1_000_000_000).contains($0) ? $0 : nil }
    }.first
  }
}
