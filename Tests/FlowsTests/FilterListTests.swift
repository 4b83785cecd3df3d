import Domain
import HTTP
import JSON
import Testing

@testable import Flows

@Suite("A list of ArcGIS for an API key")
struct FilterListTests {
  private static let root = "https://a.example/sharing/rest"
  private static let services = "https://a.example/server/rest/services"
  private let test: TestInstallation
  private let connection: ConnectionID

  init() async throws {
    test = try await TestInstallation()
    connection = try #require(ConnectionID("maps"))
  }

  private func key(_ resources: [String]) -> ClientAPIKey {
    ClientAPIKey(
      id: .random(), client: .random(), name: "Key", kind: .secret,
      scope: APIKeyScope(connections: [connection], resources: resources.compactMap { ResourcePattern($0) }),
      limits: APIKeyLimits(), createdAt: test.time.now)
  }

  private func filtered(
    _ body: String, at url: String, for resources: [String], headers: Headers = [], status: Status = .ok
  ) async throws -> (answer: ForwardRequest.Answer, text: String) {
    let key = key(resources)
    let place = try #require(ResourceURL(url))
    let list = try #require(FilterList(key, place))
    let pipe = BytePipe()
    _ = pipe.offer(Array(body.utf8))
    pipe.finish()
    let answer = ForwardRequest.Answer(
      status: status, headers: headers, length: nil, body: PipeReader(pipe),
      shown: [], place: try test.here.proxyPlaces.take(for: .key(key), to: connection))
    let filtered = try await list.answer(answer)
    var text: [UInt8] = []
    while let piece = try await filtered.body.read() { text += piece }
    return (filtered, String(decoding: text, as: UTF8.self))
  }

  @Test(
    "keeps of a directory what the key reaches",
    arguments: [
      (
        "?f=json", ["City/Roads", "Old%20Town"],
        #"{"services":[{"name":"Old Town","type":"MapServer"},{"name":"New"}]}"#,
        #"{"services":[{"name":"Old Town","type":"MapServer"}]}"#
      ),
      (
        "?f=json", ["City/Roads"], #"{"folders":["City","Cit",7],"services":[]}"#,
        #"{"folders":["City"],"services":[]}"#
      ),
      (
        "/City?f=json", ["City/Roads"],
        #"{"services":[{"name":"Roads","type":"A"},{"name":"City/Roads","type":"B"},{"name":"Roads/x","type":"C"}]}"#,
        #"{"services":[{"name":"Roads","type":"A"},{"name":"City/Roads","type":"B"}]}"#
      ),
      (
        "?f=json", ["Roads"], #"{"services":[{"name":"Roads","type":"../Traffic/MapServer"}],"secret":1}"#,
        #"{"services":[]}"#
      ), ("?f=json", ["Roads"], #"{"error":{"code":499}}"#, #"{"error":{"code":499}}"#),
    ])
  func directory(_ query: String, _ within: [String], _ body: String, _ left: String) async throws {
    let resources = within.map { "\(Self.services)/\($0)" }
    let (answer, text) = try await filtered(body, at: Self.services + query, for: resources)
    #expect(text == left && answer.length == left.utf8.count)
  }

  @Test("tells of a search nothing about what is left out")
  func search() async throws {
    let item = #"{"id":"1","owner":"ana","url":"https://b.example/rest/services/R/MapServer"}"#
    let body =
      #"{"query":"q","total":50,"start":11,"num":2,"nextStart":13,"results":[\#(item),{"id":"2"}],"#
      + #""aggregations":{"counts":[{"fieldName":"owner"}]}}"#
    let headers: Headers = ["etag": "\"1\"", "content-length": "999", "content-type": "text/plain"]
    let (answer, text) = try await filtered(
      body, at: Self.root + "/search?f=json", for: [Self.root + "/search", "https://b.example/rest/services/R"],
      headers: headers)
    #expect(text == #"{"query":"q","total":1,"start":1,"num":1,"nextStart":-1,"results":[\#(item)]}"#)
    #expect(answer.headers["etag"] == nil && answer.headers["content-length"] == "\(text.utf8.count)")
    #expect(answer.headers["content-type"] == "application/json")
  }

  @Test(
    "is cut where the app wants it, in what is for the key alone",
    arguments: [
      ("", "1", #""start":1,"num":2,"total":2,"nextStart":-1"#),
      ("&num=1", "1", #""start":1,"num":1,"total":2,"nextStart":2"#),
      ("&num=1&start=2", "3", #""start":2,"num":1,"total":2,"nextStart":-1"#),
      ("&NUM=0&start=-5", nil, #""start":1,"num":0,"total":2,"nextStart":-1"#),
      ("&num=9223372036854775807&start=9223372036854775807", nil, #""start":101,"num":0,"total":2,"nextStart":-1"#),
    ] as [(String, String?, String)])
  func pages(_ part: String, _ first: String?, _ counts: String) async throws {
    func item(_ id: String) -> String { #"{"id":"\#(id)","url":"https://b.example/rest/services/R/\#(id)"}"# }
    let body =
      #"{"start":1,"num":3,"total":50,"nextStart":4,"results":[\#(item("1")),{"id":"2"},\#(item("3"))]}"#
    let (_, text) = try await filtered(
      body, at: Self.root + "/search?f=json" + part, for: [Self.root + "/search", "https://b.example/rest/services/R"])
    #expect(text.contains(counts), "\(text)")
    #expect(first.map { text.contains(#""results":[{"id":"\#($0)""#) } ?? text.contains(#""results":[]"#), "\(text)")
  }

  @Test(
    "is not passed on when it cannot be read",
    arguments: [
      "", "<html>", "[]", "{}", #"{"services":"all"}"#, #"{"services":[],"services":[]}"#, "callback({})",
      #"{"services":["# + String(repeating: " ", count: 8 << 20) + "]}",
    ])
  func unreadable(_ body: String) async throws {
    await #expect(throws: Refusal.self) {
      try await filtered(body, at: Self.services + "?f=json", for: [Self.services + "/Roads"])
    }
  }

  @Test("is not passed on in a coding, and an error is as it comes")
  func codingsAndErrors() async throws {
    await #expect(throws: Refusal.self) {
      try await filtered(
        #"{"services":[]}"#, at: Self.services + "?f=json", for: [Self.services + "/Roads"],
        headers: ["content-encoding": "gzip"])
    }
    let (answer, text) = try await filtered(
      "<p>down</p>", at: Self.services + "?f=json", for: [Self.services + "/Roads"], status: 503)
    #expect(answer.status == 503 && text == "<p>down</p>")
  }

  @Test("goes to ArcGIS as a request for all of it", arguments: ["?f=json", "?q=1&F=pjson"])
  func request(_ query: String) throws {
    let url = try #require(ResourceURL(Self.services + query))
    let list = try #require(FilterList(key([Self.services + "/Roads"]), url))
    let headers: Headers = ["range": "bytes=0-1", "if-none-match": "*", "accept-encoding": "br", "accept": "*/*"]
    let asked = try list.request(Request(method: .head, target: "/", path: "/", headers: headers))
    #expect(asked.method == .get && asked.headers["range"] == nil && asked.headers["if-none-match"] == nil)
    #expect(asked.headers["accept-encoding"] == "identity" && asked.headers["accept"] == "*/*")
    #expect(throws: Refusal.self) { try list.request(Request(method: .post, target: "/", path: "/")) }
  }
}
