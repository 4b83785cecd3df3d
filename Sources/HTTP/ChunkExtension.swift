/// The extensions of one chunk, `;name=value` repeated, checked and not kept (RFC 9112 §7.1.1).
struct ChunkExtension: Sendable {
  /// The bytes read, without the first semicolon.
  private(set) var count = 0
  private var state = State.nameStart

  private enum State: Sendable {
    case nameStart, name, valueStart, value, quoted, escape, quotedEnd
  }

  /// Whether the line may end here.
  var isWhole: Bool { state == .name || state == .value || state == .quotedEnd }

  /// Reads one byte after the first semicolon; false when it does not fit.
  ///
  /// Blanks around the marks, which the grammar calls bad, do not fit.
  mutating func accept(_ byte: UInt8) -> Bool {
    count += 1
    switch state {
    case .nameStart: return advance(to: .name, if: isTokenCharacter(byte))
    case .name:
      if byte == UInt8(ascii: "=") { return advance(to: .valueStart, if: true) }
      return acceptMore(byte)
    case .valueStart:
      if byte == UInt8(ascii: "\"") { return advance(to: .quoted, if: true) }
      return advance(to: .value, if: isTokenCharacter(byte))
    case .value: return acceptMore(byte)
    case .quoted:
      if byte == UInt8(ascii: "\"") { return advance(to: .quotedEnd, if: true) }
      if byte == UInt8(ascii: "\\") { return advance(to: .escape, if: true) }
      return isQuotable(byte)
    case .escape: return advance(to: .quoted, if: isQuotable(byte))
    case .quotedEnd: return advance(to: .nameStart, if: byte == UInt8(ascii: ";"))
    }
  }

  private mutating func acceptMore(_ byte: UInt8) -> Bool {
    if byte == UInt8(ascii: ";") { return advance(to: .nameStart, if: true) }
    return isTokenCharacter(byte)
  }

  private mutating func advance(to next: State, if holds: Bool) -> Bool {
    state = next
    return holds
  }

  private func isQuotable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
