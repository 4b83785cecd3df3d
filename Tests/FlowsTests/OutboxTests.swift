import Domain
import SQL
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("The outbox")
struct OutboxTests {
  private let test: TestInstallation
  private let provider: TestProvider
  private let connection: Connection

  init() async throws {
    (test, provider) = (try await TestInstallation(), try TestProvider())
    connection = try await test.connection(.oidc, to: provider.server)
  }

  private func post(at connection: Connection) async throws -> Revocation {
    let revocation = Revocation(
      id: .random(), account: test.account.id, connection: connection.id, attempts: 0, nextAttemptAt: test.time.now,
      expiresAt: test.time.now + Revocation.lifetime)
    let tokens = UpstreamTokens(
      accessToken: Secret("access"), accessExpiresAt: test.time.now, refreshToken: Secret("refresh"))
    let sealed = try test.here.seal(tokens, for: revocation, connection)
    try await test.store.write { try $0.insert(revocation, tokens: sealed) }
    return revocation
  }

  /// Gives the connection a client secret that opens at `connection` only.
  private func seal(_ secret: String, as connection: Connection) async throws {
    let sealed = try test.here.vault.seal(Secret(secret), in: connection.secretContext)
    try await test.database.write {
      try $0.run(
        """
        UPDATE connection SET kek_id = \(sealed.kekID), wrapped_key = \(sealed.wrappedKey), box = \(sealed.box)
        WHERE id = \(connection.id.text)
        """)
    }
  }

  @Test("keeps what waits for a client secret that does not open, until that can be read")
  func unreadableSecret() async throws {
    let waiting = try await post(at: connection)
    var elsewhere = connection
    elsewhere.clientID = "another"
    try await seal("secret", as: elsewhere)
    try await DeliverRevocations(test.here)()
    #expect(provider.revoked.isEmpty)
    let kept = try #require(try await test.outbox().first)
    #expect(kept.id == waiting.id && kept.nextAttemptAt > test.time.now)
    try await seal("secret", as: connection)
    test.time.advance(by: kept.nextAttemptAt - test.time.now)
    try await DeliverRevocations(test.here)()
    #expect(provider.revoked == ["refresh", "access"])
    #expect(try await test.outbox().isEmpty)
  }

  @Test("gives up after a day, and writes that down")
  func givesUp() async throws {
    _ = try await post(at: connection)
    test.time.advance(by: Revocation.lifetime)
    try await DeliverRevocations(test.here)()
    #expect(provider.revoked.isEmpty)
    #expect(try await test.outbox().isEmpty)
    #expect(try await test.count(.upstreamNotRevoked) == 1)
  }

  @Test("drops tokens that do not open, and delivers the others")
  func unreadableTokens() async throws {
    let lost = try await post(at: connection)
    _ = try await post(at: connection)
    let other = AccountID.random()
    try await test.database.write {
      try $0.run("UPDATE revocation SET account_id = \(other.text) WHERE id = \(lost.id.text)")
    }
    try await DeliverRevocations(test.here)()
    #expect(provider.revoked == ["refresh", "access"])
    let left = try await test.database.read { try $0.first("SELECT count(*) AS n FROM revocation")?.integer("n") }
    #expect(left == 0)
  }
}
