import Domain
import Testing

@testable import Flows

@Suite("Opened tokens")
struct OpenedTokensTests {
  private let opened = OpenedTokens()
  private let now = Timestamp(seconds: 1_000)
  private let connection: Connection

  init() throws { connection = try Self.connection() }

  private static func connection(_ origin: String = "https://maps.example.org") throws -> Connection {
    Connection(
      id: try #require(ConnectionID("maps")), name: "Maps", kind: .oauthUser, origin: origin, clientID: "app",
      createdAt: Timestamp(seconds: 0))
  }

  private func credential(account: String = "ana", generation: Int64 = 1) -> Credential {
    Credential(
      id: CredentialID(random: "one"), account: AccountID(random: account), connection: connection.id,
      identity: UpstreamIdentity(connection: connection.id, issuer: "i", subject: "s", displayName: "Ana"),
      state: .active, generation: generation, accessExpiresAt: now + 1800, refreshExpiresAt: nil, canRefresh: true,
      connectedAt: now, refreshedAt: now, lastUsedAt: nil)
  }

  @Test("one is kept for a minute")
  func minute() {
    opened.remember(OpenedToken(secret: Secret("token")), of: credential(), connection, at: now)
    #expect(opened.token(of: credential(), connection, at: now + 59) == OpenedToken(secret: Secret("token")))
    #expect(opened.token(of: credential(), connection, at: now + 60) == nil)
  }

  @Test("a minute later it is wiped, also when nobody asks for it again")
  func sweep() {
    opened.remember(OpenedToken(secret: Secret("token")), of: credential(), connection, at: now)
    opened.sweep(at: now + 59)
    #expect(opened.token(of: credential(), connection, at: now) != nil)
    opened.sweep(at: now + 60)
    #expect(opened.token(of: credential(), connection, at: now) == nil)
  }

  @Test("none is found for a newer generation, another account, or a connection that leads elsewhere")
  func place() throws {
    opened.remember(OpenedToken(secret: Secret("token")), of: credential(), connection, at: now)
    var revised = connection
    revised.revision += 1
    #expect(opened.token(of: credential(generation: 2), connection, at: now) == nil)
    #expect(opened.token(of: credential(account: "ben"), connection, at: now) == nil)
    #expect(opened.token(of: credential(), revised, at: now) == nil)
    let elsewhere = try Self.connection("https://elsewhere.example.org")
    #expect(opened.token(of: credential(), elsewhere, at: now) == nil)
  }
}
