internal import Crypto
internal import HTTP
internal import JOSE
internal import JSON

/// A key that the directory signs with.
struct DirectoryKey: Sendable {
  let jwk: JWK
  let signer: JWTSigner

  init() throws(DirectoryError) {
    do {
      let key = try SigningKey.generate(.rs256, bits: 2048)
      jwk = JWK(key.publicKey)
      signer = JWTSigner(key: key, keyID: jwk.keyID, type: "JWT")
    } catch {
      throw .noKey
    }
  }
}

extension Directory {
  private static let accessLifetime = 3_600
  private static let refreshLifetime = 90 * 86_400

  /// `POST /TENANT/oauth2/v2.0/token`: every grant the directory offers.
  mutating func token(_ call: Call) throws(DirectoryError) -> JSONValue {
    let fields = call.parameters
    guard call.request.method == .post else {
      throw DirectoryError(
        error: "invalid_request", number: 900561, text: "The endpoint only accepts POST requests.")
    }
    guard let grant = fields["grant_type"] else { throw .missing("grant_type") }
    let client = try authenticatedClient(call)
    switch grant {
    case "authorization_code": return try redeem(call, client)
    case "refresh_token": return try refresh(call, client)
    case "client_credentials": return try mintForApp(call, client)
    default: throw .unsupportedGrant
    }
  }

  /// An app with a secret must send it, by form or header; one without must not.
  private func authenticatedClient(_ call: Call) throws(DirectoryError) -> SimulatedClient {
    let basic = call.request.headers["authorization"].flatMap { AuthorizationField($0) }
      .flatMap { BasicCredentials($0)?.formDecoded }
    guard let id = basic?.user ?? call.parameters["client_id"] else { throw .missing("client_id") }
    guard let client = configuration.client(id) else { throw .unknownClient }
    switch (client.secret, basic?.password ?? call.parameters["client_secret"]) {
    case (nil, nil): return client
    case (nil, .some): throw .publicClient
    case (.some, nil): throw .missingSecret
    case (.some(let secret), .some(let sent)):
      guard secret == sent else { throw .wrongSecret }
      return client
    }
  }

  private mutating func redeem(_ call: Call, _ client: SimulatedClient) throws(DirectoryError) -> JSONValue {
    guard let name = call.parameters["code"] else { throw .missing("code") }
    guard let code = codes[name], code.request.clientID == client.id else { throw .unknownCode }
    guard !code.isUsed else { throw .usedCode }
    codes[name]?.isUsed = true
    guard code.expiresAt > call.now else { throw .expiredCode }
    guard code.request.redirectURI == call.parameters["redirect_uri"] else { throw .wrongRedirectURI }
    guard call.parameters["code_verifier"].map({ Base64URL.encode(SHA256.hash($0)) }) == code.request.challenge else {
      throw .wrongVerifier
    }
    return try tokens(of: code.user, client, scope: code.request.scope, nonce: code.request.nonce, call)
  }

  /// Gives a new refresh token and leaves the old one good, as the real one does.
  private mutating func refresh(_ call: Call, _ client: SimulatedClient) throws(DirectoryError) -> JSONValue {
    guard let name = call.parameters["refresh_token"] else { throw .missing("refresh_token") }
    guard let token = refreshTokens[name], token.clientID == client.id else { throw .unknownRefreshToken }
    guard token.expiresAt > call.now else { throw .expiredRefreshToken }
    let scope = call.parameters["scope"]?.split(separator: " ").map(String.init) ?? []
    return try tokens(of: token.user, client, scope: scope, nonce: nil, call)
  }

  /// A token without a person, which App Proxy refuses.
  private mutating func mintForApp(_ call: Call, _ client: SimulatedClient) throws(DirectoryError) -> JSONValue {
    guard client.secret != nil else { throw .missingSecret }
    let claims = claims(subject: client.id, client, lifetime: lifetime, call) + [JSONValue.Member("idtyp", "app")]
    return [
      "token_type": "Bearer", "expires_in": .integer(Int64(lifetime)), "ext_expires_in": .integer(Int64(lifetime)),
      "access_token": .string(try sign(claims)),
    ]
  }

  private mutating func tokens(
    of user: String, _ client: SimulatedClient, scope: [String], nonce: String?, _ call: Call
  ) throws(DirectoryError) -> JSONValue {
    let person = claims(subject: user, client, lifetime: lifetime, call)
    var members: [JSONValue.Member] = [
      .init("token_type", "Bearer"), .init("scope", .string(scope.joined(separator: " "))),
      .init("expires_in", .integer(Int64(lifetime))), .init("ext_expires_in", .integer(Int64(lifetime))),
    ]
    // Only a scope of the app's own gives an access token that the app itself may read.
    let isOwn = scope.contains("\(client.id)/.default")
    members.append(.init("access_token", .string(isOwn ? try sign(person) : Portal.randomName())))
    if scope.contains("offline_access") {
      let name = "0." + Portal.randomName()
      refreshTokens[name] = DirectoryRefreshToken(
        user: user, clientID: client.id,
        expiresAt: call.now.adding(
          seconds: min(Self.refreshLifetime, configuration.refreshLifetime ?? Self.refreshLifetime)))
      members.append(.init("refresh_token", .string(name)))
    }
    if scope.contains("openid") {
      let token = try sign(person + (nonce.map { [JSONValue.Member("nonce", .string($0))] } ?? []))
      members.append(.init("id_token", .string(token)))
    }
    return .object(members)
  }

  private var lifetime: Int { min(Self.accessLifetime, configuration.accessLifetime ?? Self.accessLifetime) }

  private func claims(
    subject: String, _ client: SimulatedClient, lifetime: Int, _ call: Call
  ) -> [JSONValue.Member] {
    let now = call.now.milliseconds / 1_000
    return [
      .init("aud", .string(client.id)), .init("iss", .string(Self.issuer(call.host))), .init("iat", .integer(now)),
      .init("nbf", .integer(now)), .init("exp", .integer(now + Int64(lifetime))),
      .init("name", .string(subject.prefix(1).uppercased() + subject.dropFirst())),
      .init("oid", .string(GUID.text(of: Array(SHA256.hash(subject).prefix(16))))),
      .init("preferred_username", .string(subject + "@contoso.example")),
      .init("sub", .string(Base64URL.encode(SHA256.hash("\(client.id) \(subject)")))),
      .init("tid", .string(Self.tenantID)), .init("uti", .string(Portal.randomName())), .init("ver", "2.0"),
    ]
  }

  private mutating func sign(_ claims: [JSONValue.Member]) throws(DirectoryError) -> String {
    let key = try currentKey()
    do { return try key.signer.sign(.object(claims)) } catch { throw .noKey }
  }
}
