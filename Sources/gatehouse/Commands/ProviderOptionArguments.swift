import Domain
import Flows

/// The options of `connection create` that say how a provider is found and what it does otherwise, as the form of the
/// dashboard has them.
enum ProviderOptionArguments {
  static let template = Option(
    "--template", "NAME",
    "For oidc: start from what Gatehouse knows of a provider; 'gatehouse connection templates' lists the names.")
  private static let set = Option(
    "--set", "NAME=VALUE", "With --template: what stands in the place of {NAME} in its addresses.", .repeatable)
  private static let authorizationEndpoint = Option(
    "--authorization-endpoint", "URL",
    "For oidc without discovery (plain OAuth 2): where people sign in; the next two belong to it.")
  private static let tokenEndpoint = Option("--token-endpoint", "URL", "Where codes are exchanged for tokens.")
  private static let userEndpoint = Option(
    "--user-endpoint", "URL", "Where a JSON object says who has signed in.")
  private static let revocationEndpoint = Option(
    "--revocation-endpoint", "URL", "Where tokens are cancelled, if the provider can do that.")
  private static let subjectMember = Option(
    "--subject-member", "NAME", "The member of its answer that names a person for good; sub unless given.")
  private static let nameMember = Option(
    "--name-member", "NAME", "The member that people know the person by; preferred_username unless given.")
  private static let parameters = Option(
    "--authorization-parameter", "NAME=VALUE", "For oidc: sent when people are led there to sign in.", .repeatable)
  private static let loginPrompt = Option(
    "--login-prompt", "WORD", "For oidc: the value of prompt that asks for a new sign-in; login unless given.")
  private static let clientAuthentication = Option(
    "--client-authentication", "METHOD",
    "For oidc: how the token endpoint is shown the secret: basic or post; as the provider announces unless given.")
  private static let revocation = Option(
    "--revocation", "WAY",
    "For oidc: what is cancelled at sign-out: eachToken (unless given), oneToken, refreshToken or deletion.")
  private static let tokensNeverExpire = Option(
    switch: "--tokens-never-expire", "For oidc: a token without a lifetime and a refresh token works until cancelled.")
  private static let tenantIssuers = Option(
    switch: "--tenant-issuers", "For oidc: tenants share one discovery document, as Microsoft Entra's do.")
  private static let unannouncedIssuer = Option(
    switch: "--unannounced-issuer", "For oidc: answers may name the issuer without announcing that.")
  private static let noLogoutExpiry = Option(
    switch: "--no-logout-expiry", "For oidc: logout tokens may lack exp; they count for ten minutes then.")
  private static let noPKCE = Option(switch: "--no-pkce", "For oidc: leave PKCE out, for a provider that refuses it.")

  private static let endpoints = [
    authorizationEndpoint, tokenEndpoint, userEndpoint, revocationEndpoint, subjectMember, nameMember,
  ]
  static let all =
    [template, set] + endpoints + [
      parameters, loginPrompt, clientAuthentication, revocation, tokensNeverExpire, tenantIssuers, unannouncedIssuer,
      noLogoutExpiry, noPKCE,
    ]

  /// Whether the endpoints are given, so that there may be no issuer.
  static func hasEndpoints(_ arguments: Arguments) -> Bool { arguments.has(authorizationEndpoint) }

  /// The named template with its placeholders filled in; `nil` when none is named.
  static func template(
    _ arguments: Arguments, among templates: ProviderTemplates
  ) throws(UsageFailure) -> ProviderTemplate? {
    let values = try arguments.values(of: set, "a name and a value, such as tenant=common") { text in
      text.split(separator: "=", maxSplits: 1).map(String.init)
    }
    guard let name = arguments.value(of: template) else {
      guard values.isEmpty else { throw UsageFailure("--set belongs to --template.") }
      return nil
    }
    guard let known = templates[name] else {
      let near = Spelling.suggestion(for: name, among: templates.all.map(\.id))
      throw UsageFailure("There is no template \(name).\(near) 'gatehouse connection templates' lists them.")
    }
    let asked = known.placeholders.map(\.name)
    for value in values where value.count != 2 || !asked.contains(value[0]) {
      throw UsageFailure(
        asked.isEmpty
          ? "The template \(name) takes no --set." : "--set takes \(Spelling.list(asked)), each with =VALUE.")
    }
    let given = Dictionary(values.map { ($0[0], $0[1]) }, uniquingKeysWith: { _, last in last })
    if let missing = known.placeholders.first(where: { given[$0.name] == nil && $0.standard == nil }) {
      throw UsageFailure("--set \(missing.name)=… is missing: \(missing.meaning).")
    }
    return known.filled(with: given)
  }

  /// What is given, and the rest from `template`.
  static func read(
    _ arguments: Arguments, _ kind: Connection.Kind, _ template: ProviderTemplate?
  ) throws(UsageFailure) -> ProviderOptions {
    guard kind == .oidc else {
      if let given = all.first(where: arguments.has) {
        throw UsageFailure("\(given.name) is not for the kind \(kind.rawValue).")
      }
      return ProviderOptions()
    }
    var options = template?.options ?? ProviderOptions()
    options.endpoints = try endpoints(arguments) ?? options.endpoints
    options.quirks.authorizationParameters += try arguments.values(
      of: parameters, "a further parameter such as access_type=offline", AuthorizationParameter.init)
    options.quirks.loginPrompt = arguments.value(of: loginPrompt) ?? options.quirks.loginPrompt
    options.quirks.clientAuthentication =
      try arguments.values(of: clientAuthentication, "basic or post", ClientAuthentication.init).first
      ?? options.quirks.clientAuthentication
    options.quirks.revocation =
      try arguments.values(
        of: revocation, Spelling.list(RevocationWay.allCases.map(\.rawValue)), RevocationWay.init
      ).first
      ?? options.quirks.revocation
    if arguments.has(tokensNeverExpire) { options.quirks.tokensNeverExpire = true }
    if arguments.has(tenantIssuers) { options.quirks.namesTenantIssuers = true }
    if arguments.has(unannouncedIssuer) { options.quirks.sendsUnannouncedIssuer = true }
    if arguments.has(noLogoutExpiry) { options.quirks.omitsLogoutExpiry = true }
    if arguments.has(noPKCE) { options.quirks.usesPKCE = false }
    return options
  }

  private static func endpoints(_ arguments: Arguments) throws(UsageFailure) -> OAuthEndpoints? {
    guard hasEndpoints(arguments) else {
      if let given = endpoints.first(where: arguments.has) {
        throw UsageFailure("\(given.name) belongs to \(authorizationEndpoint.form).")
      }
      return nil
    }
    return OAuthEndpoints(
      authorization: try arguments.required(authorizationEndpoint), token: try arguments.required(tokenEndpoint),
      revocation: arguments.value(of: revocationEndpoint), user: try arguments.required(userEndpoint),
      subjectMember: arguments.value(of: subjectMember) ?? OAuthEndpoints.standardSubject,
      nameMember: arguments.value(of: nameMember) ?? OAuthEndpoints.standardName)
  }
}
