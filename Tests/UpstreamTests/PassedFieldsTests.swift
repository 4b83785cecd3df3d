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
}
