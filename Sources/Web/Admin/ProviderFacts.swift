import Domain
import Pages

extension ProviderOptions {
  /// What the page of a connection tells of them: `endpoints` and `differences`.
  var slots: PageContext.Object {
    [
      "endpoints": .list(
        facts.map { label, value -> PageContext in ["label": .text(label), "value": .text(value)] }),
      "differences": .list(quirks.sentences.map(PageContext.text)),
    ]
  }

  private var facts: [(String, String)] {
    guard let endpoints else { return [] }
    let revocation = endpoints.revocation.map { [("Revocation endpoint", $0)] } ?? []
    return [
      ("Authorization endpoint", endpoints.authorization), ("Token endpoint", endpoints.token),
      ("User endpoint", endpoints.user), ("Member with the subject", endpoints.subjectMember),
      ("Member with the name", endpoints.nameMember),
    ] + revocation
  }
}

extension ProviderQuirks {
  fileprivate var sentences: [String] {
    var sentences = authorizationParameters.map { "Sends \($0.text)" }
    if loginPrompt != Self.standardLoginPrompt { sentences.append("Asks for a new sign-in with prompt=\(loginPrompt)") }
    switch clientAuthentication {
    case nil: break
    case .basic: sentences.append("Shows the client secret in the header")
    case .post: sentences.append("Shows the client secret in the form")
    }
    switch revocation {
    case .eachToken: break
    case .oneToken: sentences.append("Cancels one token, with which both end")
    case .refreshToken: sentences.append("Cancels the refresh token only")
    case .deletion: sentences.append("Cancels the access token by DELETE")
    }
    if tokensNeverExpire { sentences.append("Tokens without a lifetime never expire") }
    if namesTenantIssuers { sentences.append("Tenants share one discovery document") }
    if sendsUnannouncedIssuer { sentences.append("Answers may name the issuer without announcing it") }
    if omitsLogoutExpiry { sentences.append("Logout tokens may lack exp") }
    if !usesPKCE { sentences.append("Without PKCE") }
    return sentences
  }
}
