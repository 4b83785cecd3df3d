import Domain
import Testing

/// Values that several suites need.
enum Samples {
  static let now = Timestamp(seconds: 1_767_225_600)
  static let account = AccountID(random: "ana")
  static let client = ClientID(random: "map")
  static let other = ClientID(random: "other")
  static let family = TokenFamilyID(random: "family")

  static func hash(_ byte: UInt8) -> TokenHash { TokenHash(bytes: Array(repeating: byte, count: 32)) }

  static func connection(_ id: String = "maps", covering patterns: [String] = []) throws -> Connection {
    var connection = Connection(
      id: try #require(ConnectionID(id)), name: id, kind: .oauthUser, origin: "https://gis.example.org/portal",
      clientID: "GH1a2b", createdAt: now)
    connection.resources = try patterns.map { try #require(ResourcePattern($0)) }
    return connection
  }

  static func client(
    _ kind: Client.Kind = .confidential, name: String = "Map", redirectURIs: [String] = ["https://app.example/back"],
    grants: [Client.Grant] = [.authorizationCode, .refreshToken], scope: String = "vend",
    permissions: [Client.Permission] = [], options: ClientOptions = ClientOptions()
  ) throws -> Client {
    Client(
      id: client, name: name, kind: kind, redirectURIs: try redirectURIs.map { try #require(RedirectURI($0)) },
      grants: grants, scope: try #require(Scope(scope)), permissions: permissions, options: options, createdAt: now)
  }

  static func code(redirectURI: String = "https://app.example/back") -> AuthorizationCode {
    AuthorizationCode(
      hash: hash(1), client: client, account: account, session: hash(2), redirectURI: redirectURI, scope: .none,
      codeChallenge: "challenge", authenticatedAt: now, expiresAt: now + 60, family: family)
  }

  static func family(isRevoked: Bool = false, expiresAt: Timestamp = now + 1000) -> TokenFamily {
    TokenFamily(
      id: family, client: client, account: account, session: hash(2), scope: .none, authenticatedAt: now,
      expiresAt: expiresAt, isRevoked: isRevoked)
  }
}
