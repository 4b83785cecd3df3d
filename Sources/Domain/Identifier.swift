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
    let prefix = "\(Subject.idPrefix)_".utf8
    guard text.utf8.starts(with: prefix), text.utf8.count > prefix.count, text.utf8.count <= 64 else { return nil }
    let plain = text.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D
    }
    guard plain else { return nil }
    self.text = text
  }

  /// Makes one from random text, at least 128 bits of it.
  public init(random: String) { text = "\(Subject.idPrefix)_\(random)" }

  public var description: String { text }
}
