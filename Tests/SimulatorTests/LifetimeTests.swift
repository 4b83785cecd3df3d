import HTTP
import JSON
import Simulator
import Testing

@Suite("Lifetimes")
struct LifetimeTests {
  @Test(
    "expiration asks for the refresh token's minutes, clamped silently",
    arguments: [
      ("60", 3_600), ("-1", 7_776_000), ("999999999", 7_776_000), ("0", 1_209_600), ("", 1_209_600),
    ])
  func refreshLifetime(expiration: String, seconds: Int64) async throws {
    let caller = Caller()
    let answer = try await caller.redeem(try await caller.code(["expiration": expiration]))
    #expect(answer.integer("refresh_token_expires_in") == seconds)
    #expect(answer.integer("expires_in") == 1_800)
  }

  @Test("the configuration shortens both")
  func configured() async throws {
    let caller = Caller(SimulatorConfiguration(accessLifetime: 7, refreshLifetime: 60))
    let answer = try await caller.redeem(try await caller.code(["expiration": "-1"]))
    #expect(answer.integer("expires_in") == 7)
    #expect(answer.integer("refresh_token_expires_in") == 60)
  }

  @Test("an access token dies at its expiry and not before")
  func accessExpires() async throws {
    let caller = Caller()
    let tokens = try await caller.tokens()
    try await caller.control(.post, "/_clock", ["advance": 1_790])
    #expect(try await caller.refusal(of: tokens.access) == nil)
    try await caller.control(.post, "/_clock", ["advance": 11])
    #expect(try await caller.refusal(of: tokens.access) == 498)
  }

  @Test("old portals do not say how long a refresh token lives")
  func hidden() async throws {
    var configuration = SimulatorConfiguration()
    configuration.reportsRefreshLifetime = false
    let caller = Caller(configuration)
    let answer = try await caller.redeem(try await caller.code())
    #expect(answer.string("refresh_token") != nil)
    #expect(answer["refresh_token_expires_in"] == nil)
  }
}

extension Caller {
  /// A fresh code of ana's.
  fileprivate func code(_ changes: [String: String]) async throws -> String { try await code(for: "ana", changes) }
}
