import HTTP
import JSON
import Simulator
import Testing

@Suite("Faults on demand")
struct FaultTests {
  let caller = Caller()

  private func fault(_ kind: String, at endpoint: String = "token", value: Int64? = nil, times: Int64? = 1) async throws
  {
    try await caller.control(
      .put, "/_faults",
      [
        "endpoint": .string(endpoint), "kind": .string(kind), "value": value.map { .integer($0) } ?? .null,
        "times": times.map { .integer($0) } ?? .null,
      ])
  }

  private func rawRefresh(_ token: String) async -> Response {
    let form: QueryItems = ["grant_type": "refresh_token", "client_id": "gatehouse-demo", "refresh_token": token]
    return await caller.send(
      .post, "/sharing/rest/oauth2/token", body: form.body, type: "application/x-www-form-urlencoded")
  }

  private func rawExchange(_ token: String) async -> Response {
    let form: QueryItems = [
      "grant_type": "exchange_refresh_token", "client_id": "gatehouse-demo", "refresh_token": token,
      "redirect_uri": Caller.redirectURI,
    ]
    return await caller.send(
      .post, "/sharing/rest/oauth2/token", body: form.body, type: "application/x-www-form-urlencoded")
  }

  @Test("status answers with that status, so many times and no more")
  func status() async throws {
    let tokens = try await caller.tokens()
    try await fault("status", value: 503, times: 2)
    #expect(await rawRefresh(tokens.refresh).status == 503)
    #expect(await rawRefresh(tokens.refresh).headers["retry-after"] == "1")
    #expect(try await rawRefresh(tokens.refresh).json.string("access_token") != nil)
  }

  @Test("garbage is no JSON")
  func garbage() async throws {
    let tokens = try await caller.tokens()
    try await fault("garbage")
    let answer = await rawRefresh(tokens.refresh)
    #expect(answer.status == .ok)
    #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
    #expect(throws: JSONFailure.self) { try answer.json }
  }

  @Test("html is a page with status 200")
  func html() async throws {
    let tokens = try await caller.tokens()
    try await fault("html")
    let answer = await rawRefresh(tokens.refresh)
    #expect(answer.status == .ok)
    #expect(answer.headers["content-type"]?.hasPrefix("text/html") == true)
  }

  @Test("refuse refuses refreshes as revoked, and no sign-in")
  func refuse() async throws {
    let tokens = try await caller.tokens()
    try await fault("refuse")
    let other = try await caller.tokens()
    #expect(
      try TokenError(try await caller.refresh(tokens.refresh))
        == TokenError(498, "invalid_request", "Invalid refresh_token"))
    #expect(try await caller.refresh(other.refresh).string("access_token") != nil)
  }

  @Test("drop-after exchanges the token, then sends nothing")
  func dropAfter() async throws {
    let tokens = try await caller.tokens()
    try await fault("drop-after")
    let (sent, isCut) = try await rawExchange(tokens.refresh).stream()
    #expect(sent.isEmpty)
    #expect(isCut)
    #expect(try await caller.refusal(of: tokens.access) == 498)
    #expect(try TokenError(try await caller.refresh(tokens.refresh)).code == 498)
  }

  @Test("drop sends nothing and does nothing")
  func drop() async throws {
    let tokens = try await caller.tokens()
    try await fault("drop")
    let (sent, isCut) = try await rawExchange(tokens.refresh).stream()
    #expect(sent.isEmpty)
    #expect(isCut)
    #expect(try await caller.exchange(tokens.refresh).string("refresh_token") != nil)
  }

  @Test("truncate sends half of a real answer")
  func truncate() async throws {
    let tokens = try await caller.tokens()
    try await fault("truncate")
    let answer = await rawExchange(tokens.refresh)
    #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
    let (sent, isCut) = try await answer.stream()
    #expect(isCut)
    #expect(String(decoding: sent, as: UTF8.self).hasPrefix("{\"access_token\":"))
    #expect(sent.last != UInt8(ascii: "}"))
    #expect(try await caller.refusal(of: tokens.access) == 498)
  }

  @Test("delay answers in the end")
  func delay() async throws {
    let tokens = try await caller.tokens()
    try await fault("delay", value: 20)
    #expect(try await rawRefresh(tokens.refresh).json.string("access_token") != nil)
  }

  @Test(
    "a fault meets its own endpoint, or one grant type, or all",
    arguments: [
      ("token.refresh_token", true), ("token.exchange_refresh_token", false), ("info", false), ("*", true),
    ])
  func scope(endpoint: String, isMet: Bool) async throws {
    let tokens = try await caller.tokens()
    try await fault("status", at: endpoint, value: 500)
    #expect((await rawRefresh(tokens.refresh).status == 500) == isMet)
  }

  @Test("without times a fault stays until it is deleted")
  func forGood() async throws {
    try await fault("status", at: "info", value: 500, times: nil)
    for _ in 0..<3 { #expect(await caller.send(.get, "/sharing/rest/info").status == 500) }
    #expect(try await caller.control(.get, "/_faults").array?.count == 1)
    #expect(try await caller.control(.delete, "/_faults") == [])
    #expect(await caller.send(.get, "/sharing/rest/info").status == .ok)
  }

  @Test("setting a fault again replaces it; another kind waits for its turn")
  func replaces() async throws {
    try await fault("status", at: "info", value: 500)
    try await fault("status", at: "info", value: 502)
    try await fault("html", at: "info")
    #expect(await caller.send(.get, "/sharing/rest/info").status == 502)
    #expect(try await caller.send(.get, "/sharing/rest/info").text.contains("web tier"))
  }

  @Test(
    "says what is wrong with a fault",
    arguments: [
      (#"{"endpoint":"token","kind":"explode"}"#, "kind"), (#"{"endpoint":"tokens","kind":"html"}"#, "endpoint"),
      (#"{"endpoint":"token","kind":"delay"}"#, "value"),
      (#"{"endpoint":"token","kind":"status","value":99}"#, "value"),
      (#"{"endpoint":"token","kind":"html","times":-1}"#, "times"), ("[]", "kind"), ("", "The body"),
    ])
  func refuses(fault: String, word: String) async throws {
    let answer = await caller.send(.put, "/_faults", body: Array(fault.utf8))
    #expect(answer.status == .badRequest)
    #expect(try answer.json.string("error")?.hasPrefix(word) == true)
  }
}
