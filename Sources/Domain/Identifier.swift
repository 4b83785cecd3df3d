/// Something that has an identifier with a prefix of its own.
public protocol Identified {
  /// A short lower-case word; `acct` gives `acct_3f…`.
  static var idPrefix: String { get }
}

/// The random, never reused identifier of a `Subject`; the prefix keeps the kinds apart everywhere they are shown.
public struct Identifier<Subject: Identified>: Sendable, Hashable, CustomStringConvertible {
  public let text: String

  /// Takes an identifier that the store holds or a person typed; `nil` when it cannot be one of a `Subject`: the
  /// prefix, then letters, digits, `_` and `-`, at most 64 bytes in all.
  public init?(_ text: String) {
    let bytes = text.utf8Span.span
    let length = Subject.idPrefix.utf8.count
    guard text.hasPrefix(Subject.idPrefix), bytes.count > length + 1, bytes.count <= 64,
      bytes[length] == UInt8(ascii: "_")
    else { return nil }
    for position in bytes.indices {
      switch bytes[position] {
      case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "_"), UInt8(ascii: "-"): continue
      default: return nil
      }
    }
    self.text = text
  }

  /// Makes one from random text, at least 128 bits of it.
  public init(random: String) { text = "\(Subject.idPrefix)_\(random)" }

  public var description: String { text }
}
