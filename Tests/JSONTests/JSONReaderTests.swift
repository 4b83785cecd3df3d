import JSON
import Testing

@Suite("Reading JSON") struct JSONReaderTests {
  @Test("keeps the order of members") func order() throws {
    let value = try JSONValue(parsing: #"{"b":1,"a":[true,null,-2.5,"x"]}"#)
    #expect(value == ["b": 1, "a": [true, nil, -2.5, "x"]])
    #expect(value.object?.map(\.name) == ["b", "a"])
  }

  @Test("gives members by name and type") func access() throws {
    let value = try JSONValue(parsing: #"{"s":"t","i":7,"d":1e3,"b":false,"l":["x","y"],"m":[1],"n":null}"#)
    #expect(value.string("s") == "t")
    #expect(value.integer("i") == 7)
    #expect(value.integer("d") == 1000)
    #expect(value.number("i") == 7)
    #expect(value.bool("b") == false)
    #expect(value.strings("l") == ["x", "y"])
    #expect(value.strings("m") == nil)
    #expect(value["n"]?.isNull == true)
    #expect(value["absent"] == nil)
    #expect(value.string("i") == nil)
  }

  @Test(
    "refuses with reason and offset",
    arguments: [
      (#"{"a":1,"a":2}"#, JSONFailure.Reason.duplicateName, 7),
      (#"{"a":1,"\u0061":2}"#, .duplicateName, 7),
      ("[1] x", .trailingBytes, 4),
      ("[1,", .unexpectedEnd, 3),
      ("[01]", .unexpectedByte, 2),
      ("\u{FEFF}{}", .unexpectedByte, 0),
      (#""\ud800""#, .invalidText, 3),
      (#""\udc00\ud800""#, .invalidText, 3),
      (#""\x""#, .invalidEscape, 2),
      (#""\u12g4""#, .invalidEscape, 5),
      ("1e999", .numberOutOfRange, 0),
      ("", .unexpectedEnd, 0),
    ])
  func refuses(text: String, reason: JSONFailure.Reason, offset: Int) {
    #expect(throws: JSONFailure(reason: reason, offset: offset)) { try JSONValue(parsing: text) }
  }

  @Test("refuses invalid UTF-8") func invalidText() {
    #expect(throws: JSONFailure(reason: .invalidText, offset: 1)) { try JSONValue(parsing: [0x22, 0xC0, 0xAF, 0x22]) }
  }

  @Test("keeps to its depth and size") func limits() throws {
    let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    #expect(try JSONValue(parsing: deep).array != nil)
    #expect(throws: JSONFailure(reason: .tooDeep, offset: 32)) { try JSONValue(parsing: "[\(deep)]") }
    #expect(throws: JSONFailure(reason: .tooLong, offset: 4)) {
      try JSONValue(parsing: "[1,2]", limits: JSONLimits(size: 4))
    }
  }

  @Test("finds a repeated name among many") func manyMembers() {
    let members = (0..<50_000).map { "\"m\($0)\":0" }.joined(separator: ",")
    let limits = JSONLimits(size: 4 << 20)
    #expect(throws: Never.self) { try JSONValue(parsing: "{\(members)}", limits: limits) }
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: "{\(members),\"m77\":1}", limits: limits) }
  }

  @Test("tells names apart that Unicode holds equivalent") func exactNames() throws {
    let value = try JSONValue(parsing: #"{"\u212A":1,"K":2}"#)
    #expect(value.integer("K") == 2)
    #expect(value.object?.count == 2)
  }

  @Test(
    "keeps numbers as they are",
    arguments: [
      ("9223372036854775807", JSONValue.integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("-0", .number(-0.0)), ("1.0", .number(1)),
      ("1E2", .number(100)),
    ])
  func numbers(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }
}
