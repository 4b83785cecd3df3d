public import Domain
public import JSON

/// The options of a provider as JSON: in the store, and in the template files that administrators start from.
extension ProviderOptions {
  /// Reads `endpoints` and `quirks`; what is absent has its default.
  public init(_ json: JSONValue) {
    self.init(
      endpoints: json["endpoints"].flatMap(OAuthEndpoints.init), quirks: ProviderQuirks(json["quirks"] ?? .null))
  }

  /// Writes the members that ``init(_:)`` reads, and of the quirks those that are not as the standards have it.
  public func write(to json: inout JSONWriter) {
    if let endpoints { json.object("endpoints") { endpoints.write(to: &$0) } }
    if quirks != ProviderQuirks() { json.object("quirks") { quirks.write(to: &$0) } }
  }
}

extension OAuthEndpoints {
  /// `nil` when one is missing that there must be.
  fileprivate init?(_ json: JSONValue) {
    guard let authorization = json.string("authorization"), let token = json.string("token"),
      let user = json.string("user")
    else { return nil }
    self.init(
      authorization: authorization, token: token, revocation: json.string("revocation"), user: user,
      subjectMember: json.string("subjectMember") ?? Self.standardSubject,
      nameMember: json.string("nameMember") ?? Self.standardName)
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.member("authorization", authorization)
    json.member("token", token)
    json.member("revocation", ifPresent: revocation)
    json.member("user", user)
    if subjectMember != Self.standardSubject { json.member("subjectMember", subjectMember) }
    if nameMember != Self.standardName { json.member("nameMember", nameMember) }
  }
}

extension ProviderQuirks {
  fileprivate init(_ json: JSONValue) {
    self.init()
    authorizationParameters = (json.object("authorizationParameters") ?? []).compactMap { member in
      member.value.string.map { AuthorizationParameter(name: member.name, value: $0) }
    }
    loginPrompt = json.string("loginPrompt") ?? loginPrompt
    usesPKCE = json.bool("usesPKCE") ?? usesPKCE
    clientAuthentication = json.string("clientAuthentication").flatMap(ClientAuthentication.init)
    namesTenantIssuers = json.bool("namesTenantIssuers") ?? namesTenantIssuers
    sendsUnannouncedIssuer = json.bool("sendsUnannouncedIssuer") ?? sendsUnannouncedIssuer
    omitsLogoutExpiry = json.bool("omitsLogoutExpiry") ?? omitsLogoutExpiry
    revocation = json.string("revocation").flatMap(RevocationWay.init) ?? revocation
    tokensNeverExpire = json.bool("tokensNeverExpire") ?? tokensNeverExpire
  }

  fileprivate func write(to json: inout JSONWriter) {
    let standard = ProviderQuirks()
    if !authorizationParameters.isEmpty {
      json.object("authorizationParameters") { json in
        for one in authorizationParameters { json.member(one.name, one.value) }
      }
    }
    if loginPrompt != standard.loginPrompt { json.member("loginPrompt", loginPrompt) }
    if !usesPKCE { json.member("usesPKCE", usesPKCE) }
    json.member("clientAuthentication", ifPresent: clientAuthentication?.rawValue)
    if namesTenantIssuers { json.member("namesTenantIssuers", namesTenantIssuers) }
    if sendsUnannouncedIssuer { json.member("sendsUnannouncedIssuer", sendsUnannouncedIssuer) }
    if omitsLogoutExpiry { json.member("omitsLogoutExpiry", omitsLogoutExpiry) }
    if revocation != standard.revocation { json.member("revocation", revocation.rawValue) }
    if tokensNeverExpire { json.member("tokensNeverExpire", tokensNeverExpire) }
  }
}
