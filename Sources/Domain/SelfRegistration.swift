/// What an app may make of itself, without an administrator's word.
///
/// It can sign people in, and no more: upstream tokens, tokens of its own and looser rules are for administrators to
/// grant.
public enum SelfRegistration {
  public static let grants: [Client.Grant] = [.authorizationCode, .refreshToken]
  public static let scopes = [Scope.openID, Scope.profile, Scope.offlineAccess]
  /// What an app that names no scope gets.
  static let usualScopes = [Scope.openID, Scope.profile]
  static let longestList = 20
  /// In bytes, of the keys that an app sends along.
  static let longestKeys = 16 * 1024
  /// How many apps may wait to be checked that came without a token of an administrator.
  public static let mostUnchecked: Int64 = 1000
}

extension ClientMetadata {
  /// The client that an app becomes by this metadata.
  ///
  /// `before` is what it replaces: what an administrator granted meanwhile stays allowed. Where the app asks for more
  /// than it may have, it gets less (RFC 7591 §2); redirect URIs are taken as they are, or not at all.
  ///
  /// - Throws: `Refusal` with a code of RFC 7591 §3.2.2.
  public func client(
    _ id: ClientID, replacing before: Client? = nil, takesCertificates: Bool, at now: Timestamp
  ) throws(Refusal) -> Client {
    if let softwareStatement { throw Self.refusal(ofStatement: softwareStatement) }
    let redirects = try redirects()
    if let text = description.objection { throw Self.wrong(text) }
    let authentication = try method(replacing: before, takesCertificates: takesCertificates)
    let kind: Client.Kind = authentication == .none ? .public : .confidential
    guard before == nil || before?.kind == kind else {
      throw Self.wrong("token_endpoint_auth_method does not change from or to none: register again.")
    }
    let name = name ?? RedirectURI(redirectURIs[0])?.destination ?? id.text
    let options = try options(replacing: before, authentication)
    let grants = try grants(replacing: before)
    let scope = try scope(replacing: before, grants)
    let isAsChecked =
      before.map {
        $0.isTrusted && $0.name == name && $0.redirectURIs == redirects && $0.options == options
          && grants.allSatisfy($0.grants.contains) && scope.words.allSatisfy($0.scope.contains)
      } ?? false
    let client = Client(
      id: id, name: name, kind: kind, redirectURIs: redirects, grants: grants, scope: scope,
      permissions: before?.permissions ?? [],
      options: options, isDisabled: before?.isDisabled ?? false,
      isTrusted: isAsChecked, createdAt: before?.createdAt ?? now)
    if let objection = client.objection { throw Self.wrong(objection) }
    return client
  }

  private static func wrong(_ text: String) -> Refusal { Refusal(.invalidClientMetadata, text) }

  /// Nobody's statements are believed; one that is no signed token is told apart.
  private static func refusal(ofStatement text: String) -> Refusal {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isToken = parts.count == 3 && parts.allSatisfy { !$0.isEmpty }
    return isToken
      ? Refusal(.unapprovedSoftwareStatement, "Software statements are not accepted here: register without one.")
      : Refusal(.invalidSoftwareStatement, "software_statement is no signed JWT; none is accepted here.")
  }
}

// MARK: - Where people return to

extension ClientMetadata {
  private func redirects() throws(Refusal) -> [RedirectURI] {
    guard let type = applicationType.map(ApplicationType.init) ?? .web else {
      throw Self.wrong("application_type is web or native.")
    }
    guard (1...SelfRegistration.longestList).contains(redirectURIs.count) else {
      throw Refusal(.invalidRedirectURI, "redirect_uris names 1 to \(SelfRegistration.longestList) URIs.")
    }
    for (number, uri) in redirectURIs.enumerated() {
      guard let text = RedirectURI.objection(to: uri, of: type) else { continue }
      throw Refusal(.invalidRedirectURI, "redirect_uris[\(number)] \(text).")
    }
    for (number, uri) in postLogoutRedirectURIs.enumerated() {
      guard let text = RedirectURI.objection(to: uri, of: type) else { continue }
      throw Self.wrong("post_logout_redirect_uris[\(number)] \(text).")
    }
    guard postLogoutRedirectURIs.count <= SelfRegistration.longestList else {
      throw Self.wrong("post_logout_redirect_uris names at most \(SelfRegistration.longestList) URIs.")
    }
    return redirectURIs.compactMap(RedirectURI.init)
  }
}

extension RedirectURI {
  /// Why an app must not register `text` itself, as what follows its name in a sentence; `nil` when it may.
  ///
  /// The text is not repeated: descriptions of errors hold few characters (RFC 6749 §5.2).
  static func objection(to text: String, of type: ClientMetadata.ApplicationType) -> String? {
    if text.contains("#") { return "has a fragment" }
    if text.contains("*") { return "has a wildcard" }
    if ["http://", "https://"].contains(where: text.lowercased().hasPrefix), text.contains("@") {
      return "names a user before its host"
    }
    guard let uri = RedirectURI(text) else {
      if let url = ResourceURL(text), !url.isHTTPS {
        return "is http, which is for localhost, 127.0.0.1 and [::1] alone"
      }
      return "is no absolute https URL, nor one of an app's own scheme, such as org.example.app:/back"
    }
    guard let url = ResourceURL(uri.text) else {
      return type == .native ? nil : "has a scheme of its own, which is for application_type native"
    }
    return url.isHTTPS && url.isAddress ? "names its host by an address" : nil
  }
}

// MARK: - What it may ask for

extension ClientMetadata {
  private func grants(replacing before: Client?) throws(Refusal) -> [Client.Grant] {
    if let responseTypes, !responseTypes.contains("code") {
      throw Self.wrong("response_types has to hold code: no other is offered.")
    }
    let own = before?.grants ?? []
    guard let asked = grants else {
      // RFC 7591 §2: the code alone, beside what is not the app's to name.
      return [.authorizationCode] + own.filter { !SelfRegistration.grants.contains($0) }
    }
    let granted = Client.Grant.allCases.filter {
      asked.contains($0.rawValue) && (SelfRegistration.grants.contains($0) || own.contains($0))
    }
    guard granted.contains(.authorizationCode) else {
      throw Self.wrong(
        "grant_types has to hold authorization_code; apps that register themselves get that, and refresh_token.")
    }
    return granted
  }

  private func scope(replacing before: Client?, _ grants: [Client.Grant]) throws(Refusal) -> Scope {
    let own = before?.scope.words ?? []
    let beyond = own.filter { !SelfRegistration.scopes.contains($0) }
    let usual = SelfRegistration.usualScopes + beyond
    var words = usual
    if let text = scope {
      guard let asked = Scope(text) else { throw Self.wrong("scope holds a character that no scope may have.") }
      let granted = asked.words.filter {
        (SelfRegistration.scopes.contains($0) || own.contains($0))
          && ($0 != Scope.offlineAccess || grants.contains(.refreshToken))
      }
      if !granted.isEmpty { words = granted }
    }
    return Scope(words.joined(separator: " ")) ?? .none
  }
}

// MARK: - How it proves itself

extension ClientMetadata {
  private func method(replacing before: Client?, takesCertificates: Bool) throws(Refusal) -> ClientAuthenticationMethod
  {
    let offered: [ClientAuthenticationMethod] =
      [.secretBasic, .secretPost, .privateKeyJWT, .none] + (takesCertificates ? [.tlsAuthority, .tlsSelfSigned] : [])
    let asked = authentication ?? ClientAuthenticationMethod.secretBasic.rawValue
    if let method = offered.first(where: { $0.rawValue == asked }) { return method }
    if let before, before.authentication.rawValue == asked { return before.authentication }
    throw Self.wrong("token_endpoint_auth_method is one of \(offered.map(\.rawValue).joined(separator: ", ")).")
  }

  private func options(
    replacing before: Client?, _ authentication: ClientAuthenticationMethod
  ) throws(Refusal) -> ClientOptions {
    guard subjectType == nil || subjectType == "public", sectorIdentifier == nil else {
      throw Self.wrong("subject_type is public: there are no pairwise subjects, and no sector_identifier_uri.")
    }
    guard idTokenAlgorithm.map(ClientOptions.idTokenAlgorithms.contains) ?? true else {
      throw Self.wrong(
        "id_token_signed_response_alg is one of \(ClientOptions.idTokenAlgorithms.joined(separator: ", ")).")
    }
    let usual = before?.options.profile == .fapi2 ? "ES256" : "RS256"
    guard userInfoAlgorithm == nil || userInfoAlgorithm == idTokenAlgorithm ?? usual else {
      throw Self.wrong("userinfo_signed_response_alg is the same as id_token_signed_response_alg, or not there.")
    }
    guard keys.count <= 1 else { throw Self.wrong("Give jwks or jwks_uri, not both.") }
    guard certificateSubjects.count <= 1 else { throw Self.wrong("Give one subject of the certificate.") }
    switch keys.first {
    case .at(let url)?: try Self.check(url, "jwks_uri")
    case .inline(let set)? where set.utf8.count > SelfRegistration.longestKeys:
      throw Self.wrong("jwks has at most \(SelfRegistration.longestKeys) bytes.")
    default: break
    }
    if let backchannelLogoutURI { try Self.check(backchannelLogoutURI, "backchannel_logout_uri") }
    // The profile and what an administrator alone sets stays.
    var options = before?.options ?? ClientOptions()
    options.authentication = authentication == .none ? options.authentication : authentication
    options.keys = keys.first
    options.certificateSubject = certificateSubjects.first
    options.idTokenAlgorithm = idTokenAlgorithm
    options.signsUserInfo = userInfoAlgorithm != nil
    options.requiresDPoP = requiresDPoP
    options.bindsToCertificate = bindsToCertificate
    options.requiresPushedRequests = requiresPushedRequests
    options.postLogoutRedirectURIs = postLogoutRedirectURIs.compactMap(RedirectURI.init)
    options.backchannelLogoutURI = backchannelLogoutURI
    options.backchannelNeedsSession = backchannelNeedsSession
    return options
  }

  /// What Gatehouse itself calls must not be within its own network, by any spelling.
  private static func check(_ url: String, _ name: String) throws(Refusal) {
    guard let url = ResourceURL(url), url.isHTTPS, !url.isLoopback, !url.isAddress else {
      throw wrong("\(name) is an https URL of a public host, by its name and without a fragment.")
    }
  }
}
