import Testing

@testable import HTTP

@Suite("Forms with files")
struct MultipartFormTests {
  private static let type = "multipart/form-data; boundary=----WebKitFormBoundaryAbC"

  private func body(_ parts: String..., border: String = "----WebKitFormBoundaryAbC") -> [UInt8] {
    Array((parts.map { "--\(border)\r\n\($0)\r\n" }.joined() + "--\(border)--\r\n").utf8)
  }

  @Test("reads fields and files, bytes as they are")
  func reads() throws {
    let text = "Content-Disposition: form-data; name=\"passphrase\"\r\n\r\nää; \r\n--- "
    let head = "content-disposition: form-data; filename=\"a;b.p12\"; name=file\r\nContent-Type: x/y\r\n\r\n"
    var bytes = body(text, head + "FILE", "Content-Disposition: form-data; name=\"empty\"; filename=\"\"\r\n\r\n")
    let place = try #require(bytes.firstRange(of: Array("FILE".utf8)))
    bytes.replaceSubrange(place, with: [0, 0xFF, 0x0D, 0x0A, 0x0D, 0x0A, 0x2D, 0x2D])
    let read = try MultipartForm(bytes, contentType: Self.type)
    #expect(read.form.fields == [.init(name: "passphrase", value: "ää; \r\n--- ")])
    #expect(read.files == ["file": [0, 0xFF, 0x0D, 0x0A, 0x0D, 0x0A, 0x2D, 0x2D], "empty": []])
  }

  @Test("leaves a field out and everything else as it came")
  func leavesOut() throws {
    let first = "Content-Disposition: form-data; name=\"f\"\r\n\r\njson"
    let file =
      "Content-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\nContent-Type: x/y\r\n\r\n\u{0}\r\n--x"
    let token = "content-disposition: form-data; name=token\r\n\r\nsecret"
    let expected = body(first, file)
    for sent in [body(token, first, file), body(first, token, file), body(first, file, token, token), expected] {
      #expect(try MultipartForm.without("token", sent, contentType: Self.type) == expected)
    }
    #expect(throws: FormFailure.self) {
      try MultipartForm.without("token", Array("no parts".utf8), contentType: Self.type)
    }
  }

  @Test("takes the boundary letter by letter, quoted or not")
  func boundary() throws {
    let one = body("Content-Disposition: form-data; name=a\r\n\r\n1", border: "Abc")
    #expect(try MultipartForm(one, contentType: "Multipart/Form-Data; boundary=\"Abc\"").form["a"] == "1")
    #expect(throws: FormFailure.malformed(1)) {
      try MultipartForm(one, contentType: "multipart/form-data; boundary=abc")
    }
    for type in [
      "multipart/form-data", "text/plain; boundary=Abc", "multipart/form-data; boundary=", "", "a;boundary=a b",
    ] {
      #expect(!MultipartForm.isType(type), "\(type)")
    }
  }

  @Test(
    "refuses what is cut, has two names or is no UTF-8",
    arguments: [
      "--B", "--B\r\n", "x--B--", "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1",
      "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B", "--B\r\n\r\n1\r\n--B--",
      "--B\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n1\r\n--B--",
      "--B\r\nContent-Disposition: form-data; name=\"a\r\n\r\n1\r\n--B--",
      "--B\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--B--",
      "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n\0\r\n--B--",
    ])
  func refuses(text: String) {
    #expect(throws: FormFailure.self) {
      try MultipartForm(Array(text.utf8), contentType: "multipart/form-data; boundary=B")
    }
  }

  @Test(
    "reads what was made to be slow in no more time than other bytes, and refuses it",
    arguments: [
      String(repeating: ";a=b", count: 60_000) + String(repeating: "\u{301}", count: 120_000),
      String(repeating: ";", count: 500_000), String(repeating: "\r\n-", count: 160_000),
      "; name=" + String(repeating: " ", count: 500_000),
    ])
  func slow(head: String) {
    let text = "--B\r\nContent-Disposition: form-data\(head)\r\n\r\nx\r\n--B--\r\n"
    let took = ContinuousClock().measure {
      #expect(throws: FormFailure.malformed(1)) {
        try MultipartForm(Array(text.utf8), contentType: "multipart/form-data; boundary=B")
      }
    }
    // It took minutes when the head was read as characters.
    #expect(took < .seconds(10))
  }

  @Test("has limits")
  func limits() throws {
    let field = "Content-Disposition: form-data; name=a\r\n\r\n"
    #expect(throws: FormFailure.tooLong(1, limit: 65_536)) {
      try MultipartForm(body(field + String(repeating: "x", count: 65_537)), contentType: Self.type)
    }
    let many = (0..<65).map { "--B\r\nContent-Disposition: form-data; name=a\($0)\r\n\r\n1\r\n" }.joined() + "--B--"
    #expect(throws: FormFailure.tooManyFields(64)) {
      try MultipartForm(Array(many.utf8), contentType: "multipart/form-data; boundary=B")
    }
  }
}
