public import Domain
import JSON
import SQL

/// What only connections of some kinds have, kept as one JSON object: a new option needs no new column, and has its
/// default in rows that were written before it.
extension Connection {
  /// The object of the column `options`.
  public var options: String {
    let written = JSONWriter.object { json in
      json.member("longestKeptDays", ifPresent: longestKeptDays)
      if !trustedKeys.isEmpty { json.member("trustedKeys", trustedKeys.map(\.line)) }
      if kind.isPortal { portal.write(to: &json) }
      if kind == .oidc { provider.write(to: &json) }
      iap?.write(to: &json)
      network?.write(to: &json)
    }
    return String(decoding: written, as: UTF8.self)
  }

  /// - Throws: `DatabaseError.column` when the text is no JSON.
  mutating func readOptions(_ row: Row) throws {
    let options = try row.parsed("options") { try? JSONValue(parsing: $0) }
    longestKeptDays = options.integer("longestKeptDays")
    trustedKeys = (options.strings("trustedKeys") ?? []).compactMap(TrustedKey.init(line:))
    if kind.isPortal { portal = PortalOptions(options) }
    if kind == .oidc { provider = ProviderOptions(options) }
    if kind == .iap { iap = IAPOptions(options) }
    if kind.isNetwork { network = NetworkOptions(options) }
  }
}

extension TrustedKey {
  /// Server, key, and when it ends in seconds since 1970, with blanks between.
  fileprivate var line: String { "\(server) \(publicKey) \(until.seconds)" }

  fileprivate init?(line: String) {
    let parts = line.split(separator: " ").map(String.init)
    guard parts.count == 3, let until = Int64(parts[2]) else { return nil }
    self.init(server: parts[0], publicKey: parts[1], until: Timestamp(seconds: until))
  }
}

extension PortalOptions {
  fileprivate init(_ options: JSONValue) {
    self.init()
    refreshTokenMinutes = options.integer("refreshTokenMinutes")
    exchangeBelowSeconds = options.integer("exchangeBelowSeconds") ?? exchangeBelowSeconds
    federatedTokenMinutes = options.integer("federatedTokenMinutes") ?? federatedTokenMinutes
    locale = options.string("locale")
    style = options.string("style")
    forcesLogin = options.bool("forcesLogin") ?? forcesLogin
    tokenMinutes = options.integer("tokenMinutes") ?? tokenMinutes
    tokenURL = options.string("tokenURL")
    appPasswordClient = options.string("appPasswordClient").flatMap(ClientID.init)
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.member("refreshTokenMinutes", ifPresent: refreshTokenMinutes)
    json.member("exchangeBelowSeconds", exchangeBelowSeconds)
    json.member("federatedTokenMinutes", federatedTokenMinutes)
    json.member("locale", ifPresent: locale)
    json.member("style", ifPresent: style)
    json.member("forcesLogin", forcesLogin)
    json.member("tokenMinutes", tokenMinutes)
    json.member("tokenURL", ifPresent: tokenURL)
    json.member("appPasswordClient", ifPresent: appPasswordClient?.text)
  }
}

extension NetworkOptions {
  fileprivate init(_ options: JSONValue) {
    self.init(
      scheme: options.string("scheme").flatMap(AuthenticationOffer.Scheme.init), realm: options.string("realm"))
    kerberos = options.string("kerberosRealm").map {
      KerberosOptions(realm: $0, centres: options.strings("keyDistributionCentres") ?? [])
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.member("scheme", ifPresent: scheme?.rawValue)
    json.member("realm", ifPresent: realm)
    guard let kerberos else { return }
    json.member("kerberosRealm", kerberos.realm)
    json.member("keyDistributionCentres", kerberos.centres)
  }
}

extension IAPOptions {
  fileprivate init(_ options: JSONValue) {
    self.init(
      authorizeURL: options.string("authorizeURL") ?? "", tokenURL: options.string("tokenURL") ?? "",
      logoutURL: options.string("logoutURL") ?? "", prompt: options.string("prompt"),
      tenants: options.strings("tenants") ?? [])
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.member("authorizeURL", authorizeURL)
    json.member("tokenURL", tokenURL)
    json.member("logoutURL", logoutURL)
    json.member("prompt", ifPresent: prompt)
    json.member("tenants", tenants)
  }
}
