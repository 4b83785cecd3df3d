/// An address that mail goes to: plain ASCII `name@host`, which may stand in a header and in an SMTP command as it is.
public struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
  public let text: String

  /// `nil` for anything else: no quotes, comments, spaces or line ends, 254 bytes at most (RFC 5321 §4.1.2, §4.5.3.1).
  public init?(_ text: String) {
    guard text.utf8.count <= 254, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return nil }
    let words = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isAtom) }),
      labels.allSatisfy({ Self.isLabel($0) })
    else { return nil }
    self.text = text
  }

  public var description: String { text }

  private static func isAtom(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
