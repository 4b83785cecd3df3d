import Testing

/// One line of the table of malformed and odd requests that Gatehouse publishes.
struct Case: Sendable, CustomTestStringConvertible {
  let row: Int
  let input: [UInt8]
  /// One line per request accepted, then the status of a refusal, if any.
  let expected: [String]

  init(_ row: Int, _ input: String, _ expected: String...) {
    self.init(row, Array(input.utf8), expected)
  }

  init(_ row: Int, _ input: [UInt8], _ expected: [String]) {
    self.row = row
    self.input = input
    self.expected = expected
  }

  var testDescription: String {
    "row \(row): \(String(decoding: input.prefix(80), as: UTF8.self).debugDescription) → \(expected)"
  }

  /// A GET with this line beside the Host.
  static func get(_ row: Int, _ line: String, _ expected: String...) -> Case {
    Case(row, Array("GET / HTTP/1.1\r\nHost: a.test\r\n\(line)\r\n\r\n".utf8), expected)
  }

  /// A GET of this target.
  static func target(_ row: Int, _ target: String, _ expected: String...) -> Case {
    Case(row, Array("GET \(target) HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8), expected)
  }

  /// A GET with this as its only Host line.
  static func host(_ row: Int, _ host: String, _ expected: String...) -> Case {
    Case(row, Array("GET / HTTP/1.1\r\nHost:\(host)\r\n\r\n".utf8), expected)
  }

  /// A POST with these lines beside the Host, and this body.
  static func post(_ row: Int, _ lines: String, _ body: String = "", _ expected: String...) -> Case {
    Case(row, Array("POST / HTTP/1.1\r\nHost: a.test\r\n\(lines)\r\n\r\n\(body)".utf8), expected)
  }

  /// A POST with this chunked body.
  static func chunked(_ row: Int, _ body: String, _ expected: String...) -> Case {
    Case(row, Array("POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n\(body)".utf8), expected)
  }
}
