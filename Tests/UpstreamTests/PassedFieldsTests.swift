import HTTP
import Testing

@testable import Upstream

@Suite("What the proxy passes on")
struct PassedFieldsTests {
  @Test("nothing that belongs to the connection, also by the client's own word")
  func hopByHop() {
    let passed = PassedFields.ofRequest([
      "connection": "close, X-Own", "x-own": "1", "te": "trailers", "upgrade": "h2c", "proxy-authorization": "Basic a",
      "keep-alive": "5", "transfer-encoding": "chunked", "expect": "100-continue", "host": "a",
      "x-forwarded-for": "10.0.0.1",
      "sec-fetch-mode": "cors", "x-other": "2",
    ])
    #expect(passed.fields.map(\.name.text) == ["x-other"])
  }

  @Test(
    "nothing that makes a server act on another path, method or caller",
    arguments: [
      "x-original-url", "x-rewrite-url", "x-http-method-override", "x-method-override", "client-ip", "true-client-ip",
      "cf-connecting-ip", "x-client-ip", "x-host", "proxy", "x-accel-redirect", "x-ms-client-principal-id",
      "x_forwarded_for", "content_length",
    ])
  func misleading(name: String) throws {
    let field = Headers.Field(try #require(FieldName(name)), "1")
    #expect(PassedFields.ofRequest(Headers([field])).fields.isEmpty)
  }

  @Test(
    "no length but plain digits that fit", arguments: ["+5", "-5", " 5", "5, 5", "0x5", "", "99999999999999999999"])
  func lengths(value: String) throws {
    let headers: Headers = ["content-length": try #require(FieldValue(value)), "etag": "a"]
    #expect(PassedFields.ofAnswer(headers).fields.map(\.name.text) == ["etag"])
    #expect(PassedFields.ofAnswer(["content-length": "5"]).fields.count == 1)
  }

  @Test("no value that came as bytes other than UTF-8")
  func bytes() throws {
    #expect(PassedFields.canPass(["x-a": "\u{E9}", "cookie": "\u{FFFD}"]))
    #expect(!PassedFields.canPass(["x-a": "\u{FFFD}"]))
    #expect(PassedFields.ofAnswer(["content-disposition": "a\u{FFFD}"]).fields.isEmpty)
  }
}
