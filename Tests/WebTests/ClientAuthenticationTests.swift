import Domain
import Flows
import HTTP
import Testing

@testable import Web

struct ClientAuthenticationTests {
  private static let grant: QueryItems = ["grant_type": "client_credentials"]

  @Test("A confidential client proves itself by header or by form, never by its id alone")
  func methods() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    var posted = Self.grant
    posted.append("client_id", client.id)
    let bare = await gatehouse.post("/oauth2/token", posted)
    #expect(bare.status == .badRequest)
    #expect(try bare.error == "invalid_client")
    posted.append("client_secret", client.secret)
    #expect(await gatehouse.post("/oauth2/token", posted).status == .ok)
    #expect(await gatehouse.post("/oauth2/token", Self.grant, basic: client.basic).status == .ok)
  }

  @Test("Who tried the header is told by the header; unknown clients and wrong secrets read the same")
  func challenge() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let wrong = await gatehouse.post("/oauth2/token", Self.grant, basic: (client.id, "wrong"))
    let unknown = await gatehouse.post("/oauth2/token", Self.grant, basic: ("client_0", "wrong"))
    #expect(wrong.status == .unauthorized && unknown.status == .unauthorized)
    #expect(wrong.headers["www-authenticate"]?.hasPrefix("Basic realm=") == true)
    #expect(wrong.text == unknown.text)
    #expect(try wrong.error == "invalid_client")
  }

  @Test("Two methods at once, or two different ids, are an invalid request")
  func twoMethods() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    var form = Self.grant
    form.append("client_secret", client.secret)
    let both = await gatehouse.post("/oauth2/token", form, basic: client.basic)
    #expect(both.status == .badRequest)
    #expect(try both.error == "invalid_request")
    var other = Self.grant
    other.append("client_id", "client_0")
    #expect(try await gatehouse.post("/oauth2/token", other, basic: client.basic).error == "invalid_request")
  }

  @Test("Both parts of the header are form-decoded", arguments: ["%63lient", "client"])
  func formDecoded(start: String) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let pair = start + client.id.dropFirst("client".count) + ":" + client.secret
    let value = try #require(FieldValue("bAsIc \(TestInstallation.base64(Array(pair.utf8)))"))
    let answer = await gatehouse.send(
      .post, "/oauth2/token",
      headers: ["authorization": value, "content-type": "application/x-www-form-urlencoded"], body: Self.grant.body)
    #expect(answer.status == .ok)
  }

  @Test(
    "A header that is no Basic credential is a failed authentication",
    arguments: ["Bearer abc", "Basic !!", "Basic", "Digest a=b"])
  func malformed(header: String) async throws {
    let gatehouse = try await TestInstallation()
    let value = try #require(FieldValue(header))
    let answer = await gatehouse.send(
      .post, "/oauth2/token",
      headers: ["authorization": value, "content-type": "application/x-www-form-urlencoded"], body: Self.grant.body)
    #expect(answer.status == .unauthorized)
    #expect(try answer.error == "invalid_client")
  }

  @Test("A public client that shows a secret is refused")
  func publicWithSecret() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client(.public)
    let answer = await gatehouse.post(
      "/oauth2/token",
      ["grant_type": "refresh_token", "refresh_token": "x", "client_id": client.id, "client_secret": "s"])
    #expect(try answer.error == "invalid_client")
  }

  @Test("A new secret, disabling and deleting take effect with the next request")
  func changes() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    func isTaken(_ secret: String) async -> Bool {
      await gatehouse.post("/oauth2/token", Self.grant, basic: (client.id, secret)).status == .ok
    }
    #expect(await isTaken(client.secret))
    let rotated = try await ChangeClient(gatehouse.here).rotateSecret(
      of: client.client.id, by: nil, TestInstallation.visitor)
    let second = rotated.secret.revealedText
    #expect(await isTaken(client.secret))
    #expect(await isTaken(second))
    gatehouse.time.advance(by: try #require(rotated.previousEndsAt) - gatehouse.time.now)
    #expect(await !isTaken(client.secret))
    #expect(await isTaken(second))
    try await gatehouse.change(.disable, client)
    #expect(await !isTaken(second))
    try await gatehouse.change(.enable, client)
    #expect(await isTaken(second))
    try await gatehouse.change(.delete, client)
    #expect(await !isTaken(second))
  }

  @Test("After ten failures a network has to wait for this client, but for the right secret; others do not")
  func throttled() async throws {
    let gatehouse = try await TestInstallation()
    let (client, other) = (try await gatehouse.client(), try await gatehouse.client())
    func ask(_ id: String, _ secret: String, from address: String = "192.0.2.1") async -> Response {
      await gatehouse.post("/oauth2/token", Self.grant, basic: (id, secret), from: address)
    }
    for _ in 0..<10 { #expect(await ask(client.id, "wrong").status == .unauthorized) }
    let blocked = await ask(client.id, "wrong again")
    #expect(blocked.status == 429)
    #expect(try blocked.error == "slow_down")
    #expect(blocked.headers["retry-after"] == "1")
    #expect(await ask(client.id, "wrong", from: "192.0.2.2").status == .unauthorized)
    #expect(await ask(other.id, "wrong").status == .unauthorized)
    #expect(await ask(client.id, client.secret).status == .ok)
  }

  @Test("The people of a public client never wait for somebody who guesses beside them")
  func publicNotThrottled() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(.public), try await gatehouse.person())
    var guess = Self.grant
    guess.append("client_id", client.id)
    guess.append("client_secret", "guess")
    for _ in 0..<12 { _ = await gatehouse.post("/oauth2/token", guess) }
    #expect(await gatehouse.post("/oauth2/token", guess).status == 429)
    var form = gatehouse.redemption(try await gatehouse.code(for: client, person))
    form.append("client_id", client.id)
    #expect(await gatehouse.post("/oauth2/token", form).status == .ok)
  }

  @Test("Failures are written down once for each client, not one by one")
  func summary() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    for id in [client.id, client.id, "client_0"] {
      _ = await gatehouse.post("/oauth2/token", Self.grant, basic: (id, "wrong"))
    }
    #expect(try await !gatehouse.auditNames().contains(.clientAuthenticationFailed))
    try await SummariseFailures(gatehouse.here)()
    try await SummariseFailures(gatehouse.here)()
    let records = try await gatehouse.audit().filter { $0.name == .clientAuthenticationFailed }
    #expect(records.count == 2)
    #expect(records.first { $0.client == client.client.id }?.detail == "2 failures since the last summary")
  }
}
