import Domain
import Storage

/// Rows that several suites need.
enum Samples {
  static let now = Timestamp(seconds: 1_767_225_600)
  static let kek = "0a1b2c3d"

  static let ana = Account(
    id: AccountID(random: "ana"), name: "Ana", username: "ana", role: .administrator, createdAt: now)
  static let ben = Account(id: AccountID(random: "ben"), name: "Ben", username: nil, role: .person, createdAt: now + 1)

  static func hash(_ byte: UInt8) -> TokenHash { TokenHash(bytes: Array(repeating: byte, count: 32)) }

  static func sealed(_ byte: UInt8 = 1) -> Sealed {
    Sealed(kekID: kek, wrappedKey: Array(repeating: byte, count: 40), box: [1, byte, 0, 255])
  }

  static func connection(_ text: String = "maps") -> Connection {
    guard let id = ConnectionID(text) else { preconditionFailure("\(text) is no connection's name") }
    return Connection(
      id: id, name: "The \(text)", kind: .oauthUser, origin: "https://gis.example.org/portal", clientID: "GH1a2b",
      createdAt: now)
  }

  static func client(
    _ random: String = "map", permissions: [Client.Permission] = [], options: ClientOptions = ClientOptions()
  ) -> Client {
    Client(
      id: ClientID(random: random), name: "Map \(random)", kind: .confidential,
      redirectURIs: ["https://app.example/back?a=b", "http://127.0.0.1/back"].compactMap { RedirectURI($0) },
      grants: [.authorizationCode, .refreshToken, .tokenExchange], scope: Scope("vend") ?? .none,
      permissions: permissions, options: options, createdAt: now)
  }

  static func credential(
    _ random: String = "one", of account: AccountID = ana.id, for connection: Connection = connection(),
    expiresAt: Timestamp = now + 1800
  ) -> Credential {
    Credential(
      id: CredentialID(random: random), account: account, connection: connection.id,
      identity: UpstreamIdentity(
        connection: connection.id, issuer: "https://gis.example.org", subject: "ana", displayName: "Ana A."),
      state: .active, generation: 1, accessExpiresAt: expiresAt, refreshExpiresAt: now + 100_000, canRefresh: true,
      connectedAt: now, refreshedAt: now, lastUsedAt: nil)
  }

  static func code(_ byte: UInt8 = 1, family: String = "family") -> AuthorizationCode {
    var code = AuthorizationCode(
      hash: hash(byte), client: client().id, account: ana.id, session: hash(9), redirectURI: "https://app.example/back",
      scope: Scope("vend") ?? .none, codeChallenge: "challenge", authenticatedAt: now - 5, expiresAt: now + 60,
      family: TokenFamilyID(random: family))
    code.dpopKey = "thumbprint"
    return code
  }

  static func family(_ random: String = "family", of account: AccountID = ana.id) -> TokenFamily {
    var family = TokenFamily(
      id: TokenFamilyID(random: random), client: client().id, account: account, session: hash(9),
      scope: Scope("vend") ?? .none, authenticatedAt: now - 5, expiresAt: now + 1000)
    family.binding = .certificate("thumbprint")
    return family
  }

  /// The chain of hash 50, whose current token has hash 1.
  static func refreshChain(family: String = "family") -> RefreshChain {
    RefreshChain(id: hash(50), family: TokenFamilyID(random: family), current: hash(1), expiresAt: now + 500)
  }

  static func attempt(_ byte: UInt8 = 1, purpose: SignInAttempt.Purpose = .signIn) -> SignInAttempt {
    SignInAttempt(
      stateHash: hash(byte), browser: hash(byte &+ 100), connection: connection().id, connectionRevision: 3,
      purpose: purpose, returnPath: "/account/apps", expiresAt: now + 600)
  }

  static func revocation(_ random: String, dueAt: Timestamp = now) -> Revocation {
    Revocation(
      id: RevocationID(random: random), account: ana.id, connection: connection().id, attempts: 0, nextAttemptAt: dueAt,
      expiresAt: now + Revocation.lifetime)
  }

  static func event(_ name: AuditEvent.Name = .vended, at moment: Timestamp = now, account: AccountID? = ana.id)
    -> AuditEvent
  {
    AuditEvent(
      name, .failure, at: moment, origin: .init(requestID: "r1", address: "192.0.2.1"), account: account,
      client: client().id, connection: connection().id, resource: "https://gis.example.org/a", detail: "token ab")
  }
}

extension Store {
  /// Puts in what most rows refer to: the key, two accounts, a connection and a client.
  func insertBasics() async throws {
    try await write { tx in
      try tx.insertKEK(id: Samples.kek, checkValue: [1, 2, 3], at: Samples.now)
      try tx.insert(Samples.ana)
      try tx.insert(Samples.ben)
      try tx.insert(Samples.connection(), clientSecret: nil)
      try tx.insert(Samples.client())
    }
  }

  /// ``insertBasics()`` and a credential of Ana's.
  func insertCredential(_ credential: Credential = Samples.credential()) async throws {
    try await insertBasics()
    try await write { try $0.put(credential, tokens: Samples.sealed()) }
  }
}
