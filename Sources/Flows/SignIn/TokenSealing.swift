import Domain
import JSON

extension UpstreamTokens {
  /// The tokens as the vault keeps them.
  var sealable: Secret {
    Secret(
      JSONWriter.object { json in
        json.member("access_token", accessToken.revealedText)
        json.member("access_expires_at", accessExpiresAt.seconds)
        json.member("refresh_token", ifPresent: refreshToken?.revealedText)
        json.member("refresh_expires_at", ifPresent: refreshExpiresAt?.seconds)
        json.member("id_token", ifPresent: idToken?.revealedText)
        json.member("scope", ifPresent: scope)
        json.member("username", ifPresent: login?.username)
        json.member("password", ifPresent: login?.password.revealedText)
        json.member("referer", ifPresent: referer)
        if isOfRegistration { json.member("of_registration", true) }
        json.member("next_key", ifPresent: nextKey?.token.revealedText)
        json.member("next_expires_at", ifPresent: nextKey?.expiresAt.seconds)
        json.member("next_referer", ifPresent: nextKey?.referer)
        json.member("key_client_id", ifPresent: keyItem?.clientID)
        json.member("key_client_secret", ifPresent: keyItem?.clientSecret.revealedText)
      })
  }

  /// Reads what ``sealable`` wrote.
  ///
  /// - Throws: ``KeyFailure/notAuthentic`` when it is anything else.
  init(unsealed: Secret) throws {
    let json = try JSONValue(parsing: unsealed.revealed)
    guard let access = json.string("access_token"), let expires = json.integer("access_expires_at") else {
      throw KeyFailure.notAuthentic
    }
    self.init(
      accessToken: Secret(access), accessExpiresAt: Timestamp(seconds: expires),
      refreshToken: json.string("refresh_token").map(Secret.init),
      refreshExpiresAt: json.integer("refresh_expires_at").map(Timestamp.init(seconds:)),
      idToken: json.string("id_token").map(Secret.init), scope: json.string("scope"))
    referer = json.string("referer")
    isOfRegistration = json.bool("of_registration") ?? false
    if let username = json.string("username"), let password = json.string("password") {
      login = TypedLogin(username: username, password: Secret(password))
    }
    let next = json.string("next_key").flatMap { value in
      json.integer("next_expires_at").map {
        TypedToken(token: Secret(value), expiresAt: Timestamp(seconds: $0), referer: json.string("next_referer"))
      }
    }
    let item = json.string("key_client_id").flatMap { id in
      json.string("key_client_secret").map { KeyItem(clientID: id, clientSecret: Secret($0)) }
    }
    if next != nil || item != nil { self = UpstreamTokens(key: key, next: next, item: item) }
  }

  /// What an upstream can be told to revoke: a password is nothing of that, and goes nowhere it is not needed.
  var revocable: UpstreamTokens {
    var tokens = self
    tokens.login = nil
    return tokens
  }
}

extension Installation {
  func seal(_ tokens: UpstreamTokens, of id: CredentialID, _ account: AccountID, _ connection: Connection) throws
    -> Sealed
  {
    try vault.seal(tokens.sealable, in: connection.sealContext(for: id, of: account))
  }

  func unseal(_ sealed: Sealed, of credential: Credential, _ connection: Connection) throws -> UpstreamTokens {
    try UpstreamTokens(
      unsealed: vault.open(sealed, in: connection.sealContext(for: credential.id, of: credential.account)))
  }
}
