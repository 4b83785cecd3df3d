import Domain
import HTTP
import SQL
import Storage
import Testing

@testable import Flows

@Suite("An upstream that answers a refresh with anything but tokens")
struct LyingUpstreamTests {
  private static let answers: [(Status, String)] = [
    (200, ""), (200, "<html>Sign in</html>"), (200, "null"), (200, "[]"), (200, #""access""#), (200, "{}"),
    (200, #"{"access_token":5}"#), (200, #"{"access_token":["a"]}"#), (200, #"{"access_token":""}"#),
    (200, #"{"access_token":"a\r\nX-Evil: 1"}"#), (200, #"{"access_token":"a b"}"#), (200, #"{"access_token":"ä"}"#),
    (200, #"{"access_token":"a\u0000"}"#), (200, #"{"access_token":"a","token_type":"mac"}"#),
    (200, #"{"access_token":"a","refresh_token":"r\n"}"#), (200, #"{"access_token":"a","refresh_token":{}}"#),
    (200, #"{"access_token":"a","id_token":7}"#), (200, #"{"access_token":"a""#),
    (200, #"{"access_token":"\#(String(repeating: "a", count: 20_000))"}"#),
    (200, String(repeating: "[", count: 20_000)), (204, ""), (302, #"{"access_token":"a"}"#), (500, "<html>"),
    (503, #"{"error":"invalid_grant"}"#), (429, #"{"error":"invalid_grant"}"#), (418, "tea"),
  ]

  private let test: TestInstallation
  private let provider: TestProvider
  private let id: CredentialID

  init() async throws {
    (test, provider) = (try await TestInstallation(), try TestProvider())
    id = try await test.credential(at: provider).id
  }

  @Test("changes nothing, and the next answer that makes sense is taken", arguments: answers)
  func nonsense(status: Status, body: String) async throws {
    let before = try await test.tokens(of: id)
    provider.next(.answer(status, body))
    try await test.refreshing { [test, id] () async throws in
      #expect(await test.refresh(id) == .failed)
      #expect(try await test.tokens(of: id) == before)
      #expect(try await test.attempt(of: id) == nil)
      test.passPause()
      #expect(await test.refresh(id) == .refreshed)
    }
    #expect(provider.presented == ["refresh-0", "refresh-0"])
  }

  @Test("is asked once more when the answer is too large to be read, since it may have had its effect")
  func tooLarge() async throws {
    provider.next(.answer(200, #"{"access_token":"\#(String(repeating: "a", count: 1 << 20))"}"#))
    #expect(try await test.refreshOnce(id) == .refreshed)
    #expect(provider.presented == ["refresh-0", "refresh-0"])
  }

  @Test(
    "cannot make a token live for ever, nor break the arithmetic",
    arguments: [
      "9223372036854775807", "1e308", "\"99999999999999999999\"", "-5", "0", "\"many\"", "null", "[1]", "1.5",
    ])
  func lifetimes(text: String) async throws {
    provider.next(.answer(200, #"{"access_token":"a","expires_in":\#(text),"refresh_token":"refresh-1"}"#))
    #expect(try await test.refreshOnce(id) == .refreshed)
    let left = try #require(try await test.held(id)?.accessExpiresAt) - test.time.now
    #expect((1...315_360_000).contains(left))
  }

  @Test("has no token of ours in the audit log, whatever it repeats")
  func repeats() async throws {
    let token = "Zk3-9fKq_2LmN8pR-tUvW4xYzA-bC7dEfG_hJ"
    try await test.refreshing { [test, id, provider] () async throws in
      provider.next(.answer(400, #"{"error":"invalid_grant","error_description":"unknown token \#(token)"}"#))
      #expect(await test.refresh(id) == .reauthRequired)
    }
    let details = try await test.store.read { try $0.auditRecords(limit: 100).compactMap(\.event.detail) }
    #expect(details.contains { $0.contains("unknown token") })
    #expect(!details.contains { $0.contains("9fKq") || $0.contains("dEfG") })
  }
}
