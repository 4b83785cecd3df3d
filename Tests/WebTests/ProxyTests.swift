import Domain
import Flows
import HTTP
import HTTPClient
import HTTPServer
import JSON
import Synchronization
import Testing

@testable import Web

@Suite("The proxy", .timeLimit(.minutes(2)))
struct ProxyTests {
  /// Answers with what it was asked, among fields that must not come back.
  private static let mirror: Server.Handler = { request in
    var text = "\(request.method.name) \(request.target)\n"
    for field in request.headers.fields { text += "\(field.name.text): \(field.value.text)\n" }
    return Response(
      status: 302,
      headers: [
        "location": "https://elsewhere.example/", "set-cookie": "a=b", "www-authenticate": "Basic realm=\"a\"",
        "content-type": "text/html", "x-powered-by": "a", "access-control-allow-origin": "*", "etag": "\"1\"",
      ],
      body: .bytes(Array(text.utf8)))
  }

  @Test("applies the credential, passes neither the caller's own fields nor cookies on, and follows no redirect")
  func passesOn() async throws {
    let stage = try await ProxyStage(files: Self.mirror)
    let answer = try await stage.open(
      stage.url("/home/files/a%20b/c?x=%2F&y=1"),
      headers: [
        "cookie": "gh_s=1", "x-api-key": "k", "origin": "https://app.example", "accept": "image/png",
        "x-esri-authorization": "Bearer mine", "range": "bytes=0-", "accept-language": "sv",
      ])
    #expect(answer.status == 302)
    let back = Set(answer.headers.fields.map(\.name.text))
    #expect(answer.headers["location"] == "https://elsewhere.example/" && answer.headers["etag"] == "\"1\"")
    #expect(back.isDisjoint(with: ["set-cookie", "www-authenticate", "x-powered-by"]))
    #expect(answer.headers.values(of: "access-control-allow-origin") == ["https://app.example"], "ours, not theirs")
    #expect(answer.headers["content-security-policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
    #expect(answer.headers["content-disposition"] == "attachment" && answer.headers["via"] == "1.1 gatehouse")
    #expect(answer.headers["cache-control"] == "private, no-store")
    #expect(answer.headers["x-content-type-options"] == "nosniff")
    let lines = try await answer.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "GET /home/files/a%20b/c?x=%2F&y=1")
    #expect(Set(lines).isSuperset(of: ["accept: image/png", "range: bytes=0-", "accept-language: sv"]))
    let names = lines.dropFirst().map { $0.prefix { $0 != ":" } }
    #expect(Set(names).isDisjoint(with: ["cookie", "x-api-key", "origin"]))
    #expect(!lines.contains { $0.contains(stage.access) || $0.contains("mine") })
    #expect(lines.contains { $0.hasPrefix("x-esri-authorization: Bearer ") || $0.hasPrefix("authorization: Bearer ") })
  }

  @Test("An app without the right to raw tokens is shown the way, and nothing else")
  func referral() async throws {
    let stage = try await ProxyStage()
    let resource = stage.portal.origin + "/sharing/rest/portals/self?f=json"
    let vended = try await stage.open(
      stage.url("").replacing("/v1/proxy/demo", with: "/v1/token")
        + (["resource": resource] as QueryItems).appended(to: ""))
    let json = try await JSONValue(parsing: vended.bytes)
    #expect(vended.status == 200 && json["access_token"] == nil && json["headers"] == nil)
    #expect(json.string("proxy_reason") == "raw_token_not_allowed" && json.string("connection") == "demo")
    let url = try #require(json.string("proxy_url"))
    #expect(url == stage.url("/sharing/rest/portals/self?f=json"))
    let answer = try await JSONValue(parsing: stage.open(url).bytes)
    #expect(answer["user"]?.string("username") == "ana")
    let audit = try await stage.gatehouse.audit().filter { $0.name == .vended }
    #expect(audit.count == 1 && audit[0].detail?.hasPrefix("proxied GET with token ") == true)
    #expect(audit[0].resource == stage.portal.origin + "/sharing/rest/portals/self")
  }

  @Test(
    "goes nowhere beside what the connection covers",
    arguments: [
      "/../x", "/home/files/%2e%2e/x", "/home/files/..;/x", "/home/files/a%2Fb", "/home/files/%5c..",
      "/home/files/.%2e/x", "/home/files/%00", "/~example.com/", "/~127.0.0.1/home/files/", "/~127.0.0.1:1/home/files/",
      "/~user@127.0.0.1/", "/~/home/files/",
      // Within the resources, but there the credential would leave.
      "/sharing/rest/generateToken", "/sharing/rest/GENERATETOKEN;a/", "/sharing/rest/oauth2/token",
    ])
  func escapes(path: String) async throws {
    let asked = Atomic<Int>(0)
    let stage = try await ProxyStage { _ in
      asked.add(1, ordering: .relaxed)
      return Response(status: .ok)
    }
    #expect(try await stage.open(stage.url(path)).status == 400)
    #expect(asked.load(ordering: .relaxed) == 0)
  }

  @Test("names further hosts behind a tilde, within the prefixes")
  func hosts() async throws {
    let stage = try await ProxyStage(files: Self.mirror)
    let answer = try await stage.open(stage.url("/~\(stage.portal.hostAndPort)/home/files/x"))
    #expect(try await answer.text.hasPrefix("GET /home/files/x\n"))
  }

  @Test("refuses like a vend: another connection, a token that does not count, a person who is not connected")
  func refusals() async throws {
    let stage = try await ProxyStage(connects: false)
    let missing = try await JSONValue(parsing: stage.open(stage.url("/a")).bytes)
    #expect(missing.string("error") == "interaction_required" && missing.string("reason") == "not_connected")
    #expect(missing.string("interaction_uri") != nil)
    let other = try await stage.open(stage.url("/a", of: "other"))
    #expect(try await JSONValue(parsing: other.bytes).string("error") == "invalid_target")
    #expect(try await stage.open(stage.url("/a"), token: "abc").status == 401)
    let page = try await stage.open(stage.url("/a"), headers: ["sec-fetch-dest": "iframe"])
    #expect(page.status == 400)
    #expect(try await stage.gatehouse.auditNames().filter { $0 == .vendRefused }.count == 2)
  }

  @Test("A long body comes through whole, and a reader that waits holds it back at its source")
  func longAnswer() async throws {
    let written = Atomic<Int>(0)
    let stage = try await ProxyStage { _ in
      Response(
        status: .ok, headers: ["content-type": "image/png"],
        body: .stream(length: 40 << 20) { writer in
          for _ in 0..<40 {
            try await writer.write([UInt8](repeating: 7, count: 1 << 20))
            written.add(1, ordering: .relaxed)
          }
        })
    }
    let answer = try await stage.open(stage.url("/home/files/long"))
    #expect(answer.headers["content-length"] == "\(40 << 20)" && answer.headers["content-disposition"] == nil)
    try await Task.sleep(for: .milliseconds(500))
    #expect(written.load(ordering: .relaxed) < 25)
    var size = 0
    while let piece = try await answer.body.read() { size += piece.count }
    #expect(size == 40 << 20)
  }

  @Test("A long body goes out whole, with its length and without", arguments: [true, false])
  func longRequest(hasLength: Bool) async throws {
    let stage = try await ProxyStage { request in
      var size = 0
      do {
        while let piece = try await request.stream?.pipe.read() { size += piece.count }
      } catch { size = -1 }
      return Response(status: .ok, body: .bytes(Array("\(size) \(request.stream?.length ?? -1)".utf8)))
    }
    let pipe = BytePipe()
    let stream = Request.Stream(pipe, length: hasLength ? 20 << 20 : nil)
    async let opened = stage.open(stage.url("/home/files/upload"), .put, stream: stream)
    for _ in 0..<20 { try await pipe.write([UInt8](repeating: 7, count: 1 << 20)) }
    pipe.finish()
    #expect(try await opened.text == "\(20 << 20) \(hasLength ? 20 << 20 : -1)")
  }

  @Test("An upstream that dies within its answer cuts ours; one that is not there is told")
  func dyingUpstream() async throws {
    let stage = try await ProxyStage { _ in
      Response(
        status: .ok,
        body: .stream(length: 100) { writer in
          try await writer.write([1, 2, 3])
          throw CancellationError()
        })
    }
    let answer = try await stage.open(stage.url("/home/files/a"))
    #expect(answer.status == 200)
    await #expect(throws: OutboundFailure.self) { try await answer.bytes }
    await stage.portal.stop()
    let refused = try await stage.open(stage.url("/home/files/a"))
    #expect(refused.status == 503)
    #expect(try await JSONValue(parsing: refused.bytes).string("error") == "temporarily_unavailable")
  }

  @Test("An upstream that breaks off before its first byte is told as a failure")
  func headAlone() async throws {
    let stage = try await ProxyStage { _ in
      Response(
        status: .ok, headers: ["content-type": "image/png"],
        body: .stream(length: 100) { writer in
          // Sends the head.
          try await writer.write([])
          try await Task.sleep(for: .milliseconds(200))
          throw CancellationError()
        })
    }
    let answer = try await stage.open(stage.url("/home/files/a"))
    #expect(answer.status == 502 && answer.headers["content-type"]?.hasPrefix("application/json") == true)
    #expect(try await JSONValue(parsing: answer.bytes).string("error") == "upstream_error")
  }

  @Test(
    "A relative Location leads through the proxy again, and one to us nowhere",
    arguments: [
      ("/v1/proxy/other/delete?x=1", "/v1/proxy/demo/v1/proxy/other/delete?x=1"), ("../b", "/v1/proxy/demo/home/b"),
      ("OURS/v1/token", nil),
    ] as [(String, String?)])
  func location(reference: String, passed: String?) async throws {
    let stage = try await ProxyStage { request in
      let place = request.headers["x-place"].flatMap { FieldValue($0) } ?? ""
      return Response(status: 307, headers: ["location": place])
    }
    let ours = stage.url("").replacing("/v1/proxy/demo", with: "")
    let place = try #require(FieldValue(reference.replacing("OURS", with: ours)))
    let answer = try await stage.open(stage.url("/home/files/a"), headers: ["x-place": place])
    #expect(answer.status == 307 && answer.headers["location"] == passed)
  }

  /// What ends what a request is made with.
  enum End: CaseIterable {
    case signOut, disconnect, client, connection, account, consent

    func callAsFunction(_ stage: ProxyStage) async throws {
      let (here, person, visitor) = (stage.gatehouse.here, stage.person.account.id, TestInstallation.visitor)
      switch self {
      case .signOut: _ = try await SignOut(here)(person, visitor)
      case .disconnect: _ = try await Disconnect(here)(stage.connection.id, from: person, visitor)
      case .client: try await stage.gatehouse.change(.disable, stage.client)
      case .connection: try await ChangeConnection(here)(.disable, stage.connection.id, by: nil, visitor)
      case .account: try await ChangeAccount(here)(person, disabled: true, by: nil, visitor)
      case .consent: _ = try await WithdrawConsent(here)(stage.client.client.id, by: person, visitor)
      }
    }
  }

  @Test("ends with what it is made with, before its answer and within it", arguments: End.allCases, [false, true])
  func ending(end: End, isAnswering: Bool) async throws {
    let (gone, going) = AsyncStream.makeStream(of: Void.self)
    let (asked, asking) = AsyncStream.makeStream(of: Void.self)
    let stage = try await ProxyStage { _ in
      asking.finish()
      if !isAnswering {
        try? await Task.sleep(for: .seconds(50))
        going.finish()
      }
      return Response(
        status: .ok,
        body: .stream { writer in
          try await writer.write([1])
          try? await Task.sleep(for: .seconds(50))
          going.finish()
        })
    }
    let start = ContinuousClock.now
    let call = Task { try await stage.open(stage.url("/home/files/a")) }
    for await _ in asked {}
    if isAnswering {
      let answer = try await call.value
      #expect(try await answer.body.read() == [1])
      try await end(stage)
      await #expect(throws: OutboundFailure.self) { while try await answer.body.read() != nil {} }
    } else {
      try await end(stage)
      let answer = try await call.value
      #expect(answer.status == 502)
      #expect(try await JSONValue(parsing: answer.bytes).string("error") == "upstream_error")
    }
    for await _ in gone {}
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test("One person has so many requests under way at most; others are not held up")
  func places() async throws {
    let isOver = Atomic<Bool>(false)
    let stage = try await ProxyStage { _ in
      Response(
        status: .ok,
        body: .stream(length: 2) { writer in
          try await writer.write([1])
          while !isOver.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(5)) }
          try await writer.write([2])
        })
    }
    var answers: [OutboundAnswer] = []
    for _ in 0..<32 { answers.append(try await stage.open(stage.url("/home/files/a"))) }
    #expect(answers.allSatisfy { $0.status == 200 })
    let refused = try await stage.open(stage.url("/home/files/a"))
    #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
    #expect(try await JSONValue(parsing: refused.bytes).string("error") == "slow_down")
    let other = try await stage.gatehouse.person("Ben")
    let access = try await stage.gatehouse.tokens(for: stage.client, other).access
    #expect(try await stage.open(stage.url("/home/files/a"), token: access).status != 429)
    isOver.store(true, ordering: .relaxed)
    for answer in answers { #expect(try await answer.bytes.count == 2) }
    #expect(try await stage.open(stage.url("/home/files/a")).status == 200)
  }

  @Test("A client that goes away ends the exchange with the upstream", arguments: [true, false])
  func departure(isAnswering: Bool) async throws {
    let (gone, going) = AsyncStream.makeStream(of: Void.self)
    let (asked, asking) = AsyncStream.makeStream(of: Void.self)
    let stage = try await ProxyStage { _ in
      asking.finish()
      if !isAnswering {
        try? await Task.sleep(for: .seconds(50))
        going.finish()
      }
      return Response(
        status: .ok,
        body: .stream { writer in
          try await writer.write([1])
          try? await Task.sleep(for: .seconds(50))
          going.finish()
        })
    }
    if isAnswering {
      // Nobody holds the answer any longer than this.
      _ = try await stage.open(stage.url("/home/files/a")).body.read()
    } else {
      let call = Task { try await stage.open(stage.url("/home/files/a")) }
      for await _ in asked {}
      call.cancel()
      _ = await call.result
    }
    for await _ in gone {}
  }
}
