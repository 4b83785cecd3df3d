/// The field lines of a request, delimited (RFC 9112 §5).
struct FieldSection {
  var lines: [FieldLine] = []
  var framing = FramingFields()
  /// The offset behind the empty line.
  var end = 0

  /// Reads the field lines from `start` to the empty line; `nil` while they are incomplete.
  static func parse(
    _ bytes: Span<UInt8>, from start: Int, limits: ParserLimits
  ) throws(ParseFailure) -> FieldSection? {
    var section = FieldSection()
    section.lines.reserveCapacity(16)
    var position = start
    while position < bytes.count {
      if bytes[position] == carriageReturn {
        guard position + 1 < bytes.count else { return nil }
        guard bytes[position + 1] == lineFeed else { throw .malformed("bare CR") }
        section.end = position + 2
        return section
      }
      if section.lines.count == limits.fieldCount { throw ParseFailure(431, "too many header lines") }
      let room = min(limits.field, limits.fields - (position - start))
      guard let (line, end) = try FieldLine.parse(bytes, from: position, room: room) else { return nil }
      try section.framing.note(line, in: bytes)
      section.lines.append(line)
      position = end
    }
    return nil
  }
}

/// Where one field line stands: offsets into the bytes it was read from, small because every request keeps them.
struct FieldLine: Sendable {
  private var nameStart: UInt32
  private var nameEnd: UInt32
  private var valueStart: UInt32
  private var valueEnd: UInt32

  private init(name: Range<Int>, value: Range<Int>) {
    nameStart = UInt32(name.lowerBound)
    nameEnd = UInt32(name.upperBound)
    valueStart = UInt32(value.lowerBound)
    valueEnd = UInt32(value.upperBound)
  }

  var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }

  /// Without the blanks around it.
  var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

  /// Reads the line at `start`, at most `room` bytes long, and tells where it ends; `nil` while it is incomplete.
  static func parse(_ bytes: Span<UInt8>, from start: Int, room: Int) throws(ParseFailure) -> (FieldLine, Int)? {
    let nameEnd = bytes.endOfToken(from: start)
    if nameEnd - start > room { throw .headTooLarge }
    guard nameEnd < bytes.count else { return nil }
    // A blank here is a folded line or a space before the colon: both hide fields from others (RFC 9112 §5.1, §5.2).
    guard nameEnd > start, bytes[nameEnd] == UInt8(ascii: ":") else { throw .malformed("malformed field name") }

    let valueEnd = bytes.endOfFieldValue(from: nameEnd + 1)
    if valueEnd - start > room { throw .headTooLarge }
    guard valueEnd < bytes.count else { return nil }
    guard bytes[valueEnd] == carriageReturn else { throw .malformed("control character in field value") }
    guard valueEnd + 1 < bytes.count else { return nil }
    guard bytes[valueEnd + 1] == lineFeed else { throw .malformed("bare CR") }
    return (FieldLine(name: start..<nameEnd, value: bytes.trimmed(nameEnd + 1..<valueEnd)), valueEnd + 2)
  }
}

extension ParseFailure {
  fileprivate static var headTooLarge: ParseFailure { ParseFailure(431, "header too large") }
}
