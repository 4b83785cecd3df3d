import Domain
import HTTP
import Pages

/// The part of the form for a new connection that says how a provider is found and what it does otherwise.
enum ProviderFields {
  static let texts = [
    "authorization_endpoint", "token_endpoint", "user_endpoint", "revocation_endpoint", "subject_member",
    "name_member", "authorization_parameters", "login_prompt",
  ]
  private static let switches = [
    "no_pkce", "tenant_issuers", "unannounced_issuer", "no_logout_expiry", "endless_tokens",
  ]

  static func fill(_ page: inout PageForm, _ posted: Form) {
    func chosen(_ name: String, _ standard: String? = nil) -> Set<String> {
      Set([posted.nonEmpty(name) ?? standard].compactMap { $0 })
    }
    for name in texts { page.fill(name, with: posted[name] ?? "") }
    for name in switches { page.choose(name, from: ["on"], chosen: posted[name] == "1" ? ["on"] : []) }
    page.choose("found_by", from: ["discovery", "endpoints"], chosen: chosen("found_by", "discovery"))
    page.choose(
      "client_authentication", from: ClientAuthentication.allCases.map(\.rawValue),
      chosen: chosen("client_authentication"))
    page.choose(
      "revocation_way", from: RevocationWay.allCases.map(\.rawValue),
      chosen: chosen("revocation_way", RevocationWay.eachToken.rawValue))
  }

  /// What was typed; what cannot be read is refused at its field.
  static func read(_ posted: Form, _ page: inout PageForm) -> ProviderOptions {
    ProviderOptions(
      endpoints: posted["found_by"] == "endpoints" ? endpoints(posted) : nil, quirks: quirks(posted, &page))
  }

  private static func endpoints(_ posted: Form) -> OAuthEndpoints {
    func text(_ name: String) -> String? { posted.nonEmpty(name).map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 } }
    return OAuthEndpoints(
      authorization: text("authorization_endpoint") ?? "", token: text("token_endpoint") ?? "",
      revocation: text("revocation_endpoint"), user: text("user_endpoint") ?? "",
      subjectMember: text("subject_member") ?? OAuthEndpoints.standardSubject,
      nameMember: text("name_member") ?? OAuthEndpoints.standardName)
  }

  private static func quirks(_ posted: Form, _ page: inout PageForm) -> ProviderQuirks {
    var quirks = ProviderQuirks()
    for line in (posted["authorization_parameters"] ?? "").filledLines {
      if let parameter = AuthorizationParameter(line) {
        quirks.authorizationParameters.append(parameter)
      } else {
        page.refuse("authorization_parameters", "\(line) is no further parameter such as access_type=offline.")
      }
    }
    if let prompt = posted.nonEmpty("login_prompt")?.trimmed, !prompt.isEmpty { quirks.loginPrompt = prompt }
    if let typed = posted.nonEmpty("client_authentication") {
      quirks.clientAuthentication = ClientAuthentication(rawValue: typed)
      if quirks.clientAuthentication == nil { page.refuse("client_authentication", "Choose one of the three.") }
    }
    if let typed = posted.nonEmpty("revocation_way") {
      quirks.revocation = RevocationWay(rawValue: typed) ?? quirks.revocation
      if RevocationWay(rawValue: typed) == nil { page.refuse("revocation_way", "Choose one of these.") }
    }
    quirks.usesPKCE = posted["no_pkce"] != "1"
    quirks.namesTenantIssuers = posted["tenant_issuers"] == "1"
    quirks.sendsUnannouncedIssuer = posted["unannounced_issuer"] == "1"
    quirks.omitsLogoutExpiry = posted["no_logout_expiry"] == "1"
    quirks.tokensNeverExpire = posted["endless_tokens"] == "1"
    return quirks
  }

  /// The fields as ``read(_:_:)`` would read `options` from them.
  static func fields(of options: ProviderOptions) -> [(String, String)] {
    let (quirks, endpoints) = (options.quirks, options.endpoints)
    func mark(_ isSet: Bool) -> String { isSet ? "1" : "" }
    return [
      ("found_by", endpoints == nil ? "discovery" : "endpoints"),
      ("authorization_endpoint", endpoints?.authorization ?? ""), ("token_endpoint", endpoints?.token ?? ""),
      ("user_endpoint", endpoints?.user ?? ""), ("revocation_endpoint", endpoints?.revocation ?? ""),
      ("subject_member", endpoints?.subjectMember ?? ""), ("name_member", endpoints?.nameMember ?? ""),
      ("authorization_parameters", quirks.authorizationParameters.map(\.text).joined(separator: "\n")),
      ("login_prompt", quirks.loginPrompt == ProviderQuirks.standardLoginPrompt ? "" : quirks.loginPrompt),
      ("client_authentication", quirks.clientAuthentication?.rawValue ?? ""),
      ("revocation_way", quirks.revocation.rawValue), ("no_pkce", mark(!quirks.usesPKCE)),
      ("tenant_issuers", mark(quirks.namesTenantIssuers)),
      ("unannounced_issuer", mark(quirks.sendsUnannouncedIssuer)),
      ("no_logout_expiry", mark(quirks.omitsLogoutExpiry)), ("endless_tokens", mark(quirks.tokensNeverExpire)),
    ]
  }
}
