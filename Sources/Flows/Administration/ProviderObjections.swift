import Domain

extension CreateConnection {
  /// What is wrong with the options of a provider, with the field to mend.
  static func providerObjections(to draft: Connection) -> [(field: String, text: String)] {
    guard draft.kind == .oidc else { return [] }
    var found: [(String, String)] = []
    if let name = ProviderTemplate.unfilled(in: draft) {
      found.append((draft.originField, "Put what it stands for in the place of {\(name)}."))
    }
    if let endpoints = draft.provider.endpoints { found += objections(to: endpoints) }
    let quirks = draft.provider.quirks
    if !isWord(quirks.loginPrompt) {
      found.append(("login_prompt", "Enter a word such as login or select_account."))
    }
    let names = quirks.authorizationParameters.map(\.name)
    if Set(names).count < names.count {
      found.append(("authorization_parameters", "Name each parameter once."))
    }
    return found
  }

  private static func objections(to endpoints: OAuthEndpoints) -> [(String, String)] {
    var found: [(String, String)] = []
    let urls = [
      ("authorization_endpoint", endpoints.authorization, "where people sign in"),
      ("token_endpoint", endpoints.token, "where codes are exchanged for tokens"),
      ("user_endpoint", endpoints.user, "which says who has signed in"),
    ]
    for (field, url, meaning) in urls where url.isEmpty { found.append((field, "Enter the URL \(meaning).")) }
    let members = [("subject_member", endpoints.subjectMember), ("name_member", endpoints.nameMember)]
    for (field, name) in members where !isWord(name) {
      found.append((field, "Enter the name of a member of the user endpoint’s JSON object, such as id."))
    }
    return found
  }

  private static func isWord(_ text: String) -> Bool {
    (1...100).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}
