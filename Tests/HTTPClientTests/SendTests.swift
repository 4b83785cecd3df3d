import HTTP
import Testing

@testable import HTTPClient

@Suite("Sending", .timeLimit(.minutes(1)))
struct SendTests {
  let client: OutboundClient

  init() throws { client = try OutboundClient() }

  @Test("A JSON answer comes back whole, with its status, fields and date")
  func json() async throws {
    let server = try WireServer { wire in
      while wire.request() != nil {
        wire.answer(
          #"{"a":1}"#,
          "Content-Type: application/json\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Two: a\r\nX-Two:  b \r\n")
      }
    }
    let answer = try await client.send(server.request())
    #expect(answer.status == 200)
    #expect(answer.body == Array(#"{"a":1}"#.utf8))
    #expect(answer.headers["content-type"] == "application/json")
    #expect(answer.headers.values(of: "x-two") == ["a", "b"])
    #expect(answer.date == 784_111_777)
  }

  @Test("Fields arrive as given, and nothing is added that was not asked for")
  func fields() async throws {
    let server = try WireServer { wire in while let head = wire.request() { wire.answer(head) } }
    var request = server.request("/a/../b?c=%20d")
    request.headers = ["x-one": "1", "x-empty": "", "x-blank": " ", "authorization": "Bearer abc"]
    let seen = String(decoding: try await client.send(request).body, as: UTF8.self)
    let lines = seen.split(separator: "\r\n").map(String.init)
    #expect(
      lines == [
        "GET /a/../b?c=%20d HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "User-Agent: Gatehouse", "Accept: */*",
        "x-one: 1", "x-empty:", "x-blank:", "authorization: Bearer abc",
      ])
  }

  @Test("A body arrives byte for byte with its method", arguments: ["POST", "PUT", "PATCH", "DELETE"])
  func bodies(method: String) async throws {
    let server = try WireServer { wire in while let text = wire.request() { wire.answer(text) } }
    var request = server.request(post: "a=\u{0}b")
    request.method = Method(method)
    let seen = String(decoding: try await client.send(request).body, as: UTF8.self)
    #expect(seen.hasPrefix("\(method) / HTTP/1.1\r\n"))
    #expect(seen.contains("Content-Length: 4\r\n"))
    #expect(seen.hasSuffix("\r\n\r\na=\u{0}b"))
    #expect(!seen.lowercased().contains("content-type"))
  }

  @Test("An empty POST says that it is empty, and a GET after it is a GET again")
  func emptyPost() async throws {
    let server = try WireServer { wire in while let text = wire.request() { wire.answer(text) } }
    let post = String(decoding: try await client.send(server.request(post: "")).body, as: UTF8.self)
    #expect(post.hasPrefix("POST / ") && post.contains("Content-Length: 0\r\n"))
    let get = String(decoding: try await client.send(server.request()).body, as: UTF8.self)
    #expect(get.hasPrefix("GET / ") && !get.contains("Content-Length"))
  }

  @Test("HEAD ends at the fields, whatever length they announce")
  func head() async throws {
    let server = try WireServer { wire in
      while wire.request() != nil { wire.send("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n") }
    }
    var request = server.request()
    request.method = .head
    let answer = try await client.send(request)
    #expect(answer.status == 200 && answer.body.isEmpty)
    #expect(try await client.send(request).headers["content-length"] == "999999")
    #expect(server.seen.connections == 1)
  }

  @Test("A body of two megabytes goes out without waiting for permission")
  func largeUpload() async throws {
    let server = try WireServer { wire in
      while let text = wire.request() {
        wire.answer("\(text.utf8.count)", text.contains("xpect") ? "X-Bad: 1\r\n" : "")
      }
    }
    let answer = try await client.send(server.request(post: String(repeating: "x", count: 2 << 20)))
    #expect(Int(String(decoding: answer.body, as: UTF8.self)) ?? 0 > 2 << 20)
    #expect(answer.headers["x-bad"] == nil)
  }

  @Test(
    "A redirect is an answer like any other",
    arguments: ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
  func redirect(status: String) async throws {
    let server = try WireServer { wire in
      while wire.request() != nil { wire.answer("", "Location: /elsewhere\r\n", status: status) }
    }
    let answer = try await client.send(server.request(post: "a=1"))
    #expect(answer.headers["location"] == "/elsewhere")
    #expect(server.seen.requests.count == 1)
  }

  @Test(
    "An error status with an HTML page is an answer",
    arguments: ["200 OK", "503 Service Unavailable", "401 Unauthorized"])
  func html(status: String) async throws {
    let server = try WireServer { wire in
      while wire.request() != nil {
        wire.answer("<!DOCTYPE html>", "Content-Type: text/html\r\nWWW-Authenticate: Basic\r\n", status: status)
      }
    }
    let answer = try await client.send(server.request())
    #expect(answer.status.code == Int(status.prefix(3)))
    #expect(answer.body.starts(with: "<!DOCTYPE".utf8))
    #expect(server.seen.requests.count == 1)
  }

  @Test("An interim answer is not mistaken for the answer, nor a trailer for a field")
  func interim() async throws {
    let server = try WireServer { wire in
      while wire.request() != nil {
        wire.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
        wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n")
        wire.send("3\r\nabc\r\n2\r\nde\r\n0\r\nX-End: 1\r\n\r\n")
      }
    }
    let answer = try await client.send(server.request())
    #expect(answer.status == 200 && answer.body == Array("abcde".utf8))
    #expect(answer.headers["link"] == nil && answer.headers["x-end"] == nil)
  }

  @Test("A cookie is not sent back")
  func cookies() async throws {
    let server = try WireServer { wire in while let text = wire.request() { wire.answer(text, "Set-Cookie: a=b\r\n") } }
    _ = try await client.send(server.request())
    let second = String(decoding: try await client.send(server.request()).body, as: UTF8.self)
    #expect(!second.lowercased().contains("cookie"))
  }

  @Test("A compressed body is handed over as it came, so that it cannot swell")
  func compressed() async throws {
    let server = try WireServer { wire in
      while wire.request() != nil { wire.answer("not gzip at all", "Content-Encoding: gzip\r\n") }
    }
    #expect(try await client.send(server.request()).body == Array("not gzip at all".utf8))
  }

  @Test("Two hundred requests at once get each its own answer, over few connections")
  func parallel() async throws {
    let server = try WireServer { wire in
      while let text = wire.request() { wire.answer(String(text.split(separator: " ")[1])) }
    }
    let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let answer = try await client.send(server.request("/\(number)"))
          return String(decoding: answer.body, as: UTF8.self) == "/\(number)"
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(answers == 200)
    #expect(server.seen.requests.count == 200)
    #expect((1...OutboundSettings().perOrigin).contains(server.seen.connections))
  }

  @Test(
    "Fields that frame the message are the client's own",
    arguments: [
      "host", "content-length", "transfer-encoding", "connection", "expect",
    ])
  func ownFields(name: String) async throws {
    let server = try WireServer { wire in wire.linger() }
    let field = try #require(FieldName(name))
    var request = server.request()
    request.headers.set(field, "1")
    #expect(await outcome(client, request) == .refused(.header(field)))
    #expect(server.seen.connections == 0)
  }

  @Test(
    "A method that could carry more than a method is refused",
    arguments: ["", "get", "GET / HTTP/1.1\r\nX:", "CONNECT"])
  func methods(name: String) async throws {
    let server = try WireServer { wire in wire.linger() }
    var request = server.request()
    request.method = Method(name)
    #expect(await outcome(client, request) == .refused(.method))
    #expect(server.seen.connections == 0)
  }
}
