import HTTP
import HTTPServer
import Testing

@Suite(.onOwnThread) struct StaticFilesTests {
  private let directory = TemporaryDirectory()
  private let style = String(repeating: "body { color: black }\n", count: 50)

  init() {
    directory.write(style, to: "style.css")
    directory.write("x", to: "tiny.txt")
    directory.write("secret", to: ".hidden.css")
    directory.write("#!", to: "run.sh")
    _ = Shell.run("mkdir \(directory.path)/fonts && ln -s /etc/passwd \(directory.path)/link.txt")
    directory.write("woff", to: "fonts/a.woff2")
  }

  @Test("A file is served with its type, a strong tag, and a day of caching")
  func plain() throws {
    let response = try #require(answers(files()).response(for: request("style.css")))
    #expect(response.status == .ok)
    #expect(text(response) == style)
    #expect(response.headers["content-type"] == "text/css; charset=utf-8")
    #expect(response.headers["cache-control"] == "public, max-age=86400")
    #expect(response.headers["vary"] == "accept-encoding")
    #expect(response.headers["content-encoding"] == nil)
  }

  @Test("Under its hashed name a file may be cached for ever")
  func hashed() throws {
    let files = try files()
    let name = try #require(files.hashedName(of: "style.css"))
    #expect(name.hasPrefix("style.") && name.hasSuffix(".css") && name.utf8.count == 18)
    let response = try #require(answers(files).response(for: request(name)))
    #expect(response.headers["cache-control"] == "public, max-age=31536000, immutable")
    #expect(text(response) == style)
  }

  @Test("A client that takes gzip gets it, under another tag, and it unpacks to the file")
  func compressed() throws {
    let files = try files()
    let response = try #require(answers(files).response(for: request("style.css", ["accept-encoding": "br, gzip"])))
    #expect(response.headers["content-encoding"] == "gzip")
    #expect(response.headers["etag"] != answers(files).response(for: request("style.css"))?.headers["etag"])
    let bytes = try #require(self.bytes(response))
    #expect(bytes.count < style.utf8.count)
    let escaped = bytes.map { "\\0" + String($0, radix: 8) }.joined()
    #expect(Shell.run("printf %b '\(escaped)' | gzip -dc") == style)
  }

  @Test("What does not get smaller is not compressed")
  func incompressible() throws {
    let response = try #require(answers(files()).response(for: request("tiny.txt", ["accept-encoding": "gzip"])))
    #expect(response.headers["content-encoding"] == nil)
    #expect(response.headers["vary"] == nil)
  }

  @Test("A client that has the version is told so, with no body")
  func conditional() throws {
    let files = try files()
    let tag = try #require(answers(files).response(for: request("style.css"))?.headers["etag"])
    let condition = try #require(FieldValue(tag))
    let again = try #require(answers(files).response(for: request("style.css", ["if-none-match": condition])))
    #expect(again.status == .notModified)
    #expect(bytes(again) == nil)
    #expect(again.headers["etag"] == tag)
    let other = answers(files).response(for: request("style.css", ["if-none-match": "\"other\""]))
    #expect(other?.status == .ok)
  }

  @Test(
    "Dotfiles, links, unknown kinds and paths out of the directory are not served",
    arguments: [
      ".hidden.css", "link.txt", "run.sh", "../style.css", "fonts/../style.css", "", "fonts",
    ])
  func refused(name: String) throws { #expect(try answers(files()).response(for: request(name)) == nil) }

  @Test("Files below the directory are served, and what was skipped is reported")
  func nested() throws {
    let files = try files()
    #expect(answers(files).response(for: request("fonts/a.woff2"))?.headers["content-type"] == "font/woff2")
    #expect(files.skipped == ["run.sh"])
  }

  @Test("A file has its further paths too, and every answer is finished as it was asked for")
  func furtherPaths() throws {
    let answers = answers(try files())
    let robots = try #require(answers.response(for: Request(method: .get, target: "/robots.txt", path: "/robots.txt")))
    #expect(text(robots) == "x")
    #expect(robots.headers["x-frame-options"] == "DENY")
    #expect(answers.response(for: Request(method: .post, target: "/robots.txt", path: "/robots.txt")) == nil)
  }

  @Test("A server gives them itself, and asks the handler for everything else")
  func served() async throws {
    let server = try TestServer.start(staticAnswers: answers(files()))
    let client = try RawClient(port: server.port)
    client.send("GET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\nPOST /robots.txt HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receiveAnswer().head.contains("x-frame-options: DENY"))
    #expect(client.receiveAnswer().body.hasPrefix("POST /robots.txt []"))
    await server.stop(within: .seconds(5))
  }

  @Test("A directory that is not there is reported")
  func missing() { #expect(throws: ServerFailure.self) { try StaticFiles(directory: "/nowhere") } }

  private func files() throws -> StaticFiles { try StaticFiles(directory: directory.path) }

  private func answers(_ files: StaticFiles) -> StaticAnswers {
    files.answers(in: "/assets/", and: ["/robots.txt": "tiny.txt"]) { response in
      var response = response
      response.headers.add("x-frame-options", "DENY")
      return response
    }
  }

  private func request(_ name: String, _ headers: Headers = [:]) -> Request {
    Request(method: .get, target: "/assets/\(name)", path: "/assets/\(name)", headers: headers)
  }

  private func bytes(_ response: Response) -> [UInt8]? {
    if case .bytes(let bytes) = response.body { bytes } else { nil }
  }

  private func text(_ response: Response) -> String? { bytes(response).map { String(decoding: $0, as: UTF8.self) } }
}
