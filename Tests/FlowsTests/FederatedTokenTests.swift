import Domain
import SQL
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("Tokens of federated servers")
struct FederatedTokenTests {
  private let test: TestInstallation
  private let portal: TestPortal
  private let request: VendRequest

  init() async throws {
    (test, portal) = (try await TestInstallation(), try TestPortal())
    let connection = try await test.connection(.oauthUser, to: portal.server)
    let registration = try await test.here.registration(for: connection)
    let signedIn = try await portal.signIn(registration, test.here.upstreams.portals, at: test.time.now)
    _ = try await test.put(signedIn.tokens, at: connection)
    request = try await test.vendRequest(
      for: "\(portal.server.origin)/server/rest/services/Traffic/FeatureServer/0", at: connection)
  }

  private func vend(by installation: TestInstallation? = nil) async throws -> Secret {
    let vended = try await VendToken((installation ?? test).here)(request, with: nil, TestInstallation.visitor)
    return try #require(vended.handedOut).token
  }

  @Test("one that still works survives a restart while portal and server are down")
  func restart() async throws {
    let token = try await vend()
    await portal.server.stop()
    #expect(try await vend(by: TestInstallation(after: test)) == token)
  }

  @Test("a server that gives no sensible answer is believed for a day, and asked every half minute")
  func down() async throws {
    let token = try await vend()
    for kind in ["status", "html"] {
      test.time.advance(by: FederatedServer.lifetime)
      await portal.fault(kind, at: "server.info", value: 503)
      let asked = try await portal.calls(of: "server.info")
      for _ in 0..<3 { #expect(try await vend() == token) }
      test.time.advance(by: FederatedServer.pause - 1)
      #expect(try await vend() == token)
      #expect(try await portal.calls(of: "server.info") == asked + 1, "\(kind)")
      test.time.advance(by: 1)
      #expect(try await vend() == token)
      #expect(try await portal.calls(of: "server.info") == asked + 2, "\(kind)")
    }
  }

  @Test("nothing that was said more than a day ago is believed")
  func stale() {
    let server = FederatedServer(root: "r", owningSystemURL: "p", takesTokens: true, answeredAt: test.time.now)
    #expect(server.unanswered(at: test.time.now + 86_399)?.askAgainAt == test.time.now + 86_429)
    #expect(server.unanswered(at: test.time.now + 86_400) == nil)
  }

  @Test("one with less than a minute left is renewed, and served on while the portal is down")
  func lastMinute() async throws {
    let token = try await vend()
    try await test.database.write { [now = test.time.now] in
      try $0.run("UPDATE server_token SET expires_at = \(now.seconds + 30)")
    }
    await portal.fault("status", at: "generateToken", value: 503)
    #expect(try await vend() == token)
    #expect(try await vend() != token)
  }

  @Test("one that outlives the portal's own is served on while the portal is down, which its own then is not")
  func outlivesThePortals() async throws {
    let token = try await vend()
    try await test.database.write { [now = test.time.now] in
      try $0.run("UPDATE credential SET access_expires_at = \(now.seconds)")
      try $0.run("UPDATE server_token SET expires_at = \(now.seconds + 30)")
    }
    await portal.fault("status", at: "token", value: 503, times: 100)
    try await test.refreshing { [self] in
      #expect(try await vend() == token)
      let resource = try #require(ResourceURL("\(portal.server.origin)/sharing/rest/portals/self"))
      let portals = VendRequest(
        client: request.client, account: request.account, resource: resource, minimumLifetime: 0)
      await #expect(throws: Refusal.self) {
        try await VendToken(test.here)(portals, with: nil, TestInstallation.visitor)
      }
    }
  }

  @Test("a client secret that does not open stops nobody whose token works")
  func unreadableSecret() async throws {
    try await test.database.write {
      let bytes: [UInt8] = [0]
      try $0.run("UPDATE connection SET kek_id = (SELECT id FROM kek), wrapped_key = \(bytes), box = \(bytes)")
    }
    #expect(try await !vend(by: TestInstallation(after: test)).isEmpty)
  }
}
