import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("What ends while a person is on the way back from an upstream")
struct RaceTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    browser = TestBrowser(gatehouse)
    try await gatehouse.openConnection(to: portal)
  }

  /// Comes back from the portal, and does `change` while the portal thinks about the code.
  private func comeBack(
    during change: @Sendable @escaping (TestInstallation) async throws -> Void
  ) async throws -> Response {
    let back = try await browser.way(back: await browser.get("/signin/demo"), portal)
    await portal.fault("delay", at: "token", value: 5000)
    let (gatehouse, cookies) = (gatehouse, browser.cookies)
    async let answer = TestBrowser(gatehouse, cookies: cookies).get(back)
    while try await portal.calls(of: "token.authorization_code") == 0 { await Task.yield() }
    try await change(gatehouse)
    return await answer
  }

  @Test("a connection that is deleted keeps nothing, and its tokens are revoked at once")
  func deleted() async throws {
    let answer = try await comeBack { gatehouse in
      let id = try #require(ConnectionID("demo"))
      #expect(try await gatehouse.store.write { try $0.deleteEmptyConnection(id) })
    }
    #expect(answer.status == .badRequest)
    #expect(answer.headers.values(of: "set-cookie").allSatisfy { !$0.hasPrefix("gh_s=") })
    #expect(try await portal.calls(of: "revokeToken") == 1)
    for table in ["account", "session", "credential", "revocation", "connection"] {
      #expect(try await gatehouse.count(table) == 0, "\(table)")
    }
  }

  @Test("a connection that is disabled signs nobody in, and the outbox revokes its tokens")
  func disabled() async throws {
    let answer = try await comeBack { gatehouse in
      let id = try #require(ConnectionID("demo"))
      try await ChangeConnection(gatehouse.here)(.disable, id, by: nil, TestInstallation.visitor)
    }
    #expect(answer.status == .badRequest)
    for table in ["account", "session", "credential"] { #expect(try await gatehouse.count(table) == 0, "\(table)") }
    try await DeliverRevocations(gatehouse.here)()
    #expect(try await portal.calls(of: "revokeToken") == 1)
  }

  @Test("another connection under the same id gets none of the tokens")
  func replaced() async throws {
    let other = try TestPortal()
    let answer = try await comeBack { [time = gatehouse.time.now] gatehouse in
      let id = try #require(ConnectionID("demo"))
      let connection = try other.connection(at: time)
      try await gatehouse.store.write { tx in
        #expect(try tx.deleteEmptyConnection(id))
        try tx.insert(connection, clientSecret: nil)
      }
    }
    #expect(answer.status == .badRequest)
    #expect(try await gatehouse.count("credential") == 0)
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await other.calls(of: "revokeToken") == 0)
  }
}
