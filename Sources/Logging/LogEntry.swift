/// The text of one entry.
enum LogEntry {
  /// One line of JSON, its line feed included.
  static func line(
    at time: WallClock, _ level: LogLevel, _ message: StaticString, _ fields: Logger.Fields
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(192)
    line.append(contentsOf: #"{"time":""#.utf8)
    time.append(to: &line)
    line.append(contentsOf: #"","level":""#.utf8)
    line.append(contentsOf: level.name.utf8)
    line.append(contentsOf: #"","message":"#.utf8)
    line.append(quoted: message.description)
    for (name, value) in fields {
      line.append(UInt8(ascii: ","))
      line.append(quoted: name.description)
      line.append(UInt8(ascii: ":"))
      line.append(value)
    }
    line.append(contentsOf: "}\n".utf8)
    return line
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ value: LogValue) {
    switch value {
    case .string(let text): append(quoted: text)
    case .int(let number): append(contentsOf: String(number).utf8)
    case .bool(let flag): append(contentsOf: (flag ? "true" : "false").utf8)
    }
  }

  /// A JSON string (RFC 8259 §7); controls are escaped, so that no value can begin a line of its own.
  fileprivate mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0x0A: append(contentsOf: "\\n".utf8)
      case 0..<0x20, 0x7F: append(escaped: byte)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func append(escaped control: UInt8) {
    let digits = Array("0123456789abcdef".utf8)
    append(contentsOf: "\\u00".utf8)
    append(digits[Int(control >> 4)])
    append(digits[Int(control & 15)])
  }
}
