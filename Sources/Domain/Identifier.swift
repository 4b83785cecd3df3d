/// Something that has an identifier with a prefix of its own.
public protocol Identified {
  /// A short lower-case word; `acct` gives `acct_3f…`.
  static var idPrefix: String { get }
}

/// The random, never reused identifier of a `Subject`; the prefix keeps the kinds apart everywhere they are shown.
public struct Identifier<Subject: Identified>: Sendable, Hashable, CustomStringConvertible {
  public let text: String

  /// Takes an identifier that the store holds or a person typed; `nil` when it cannot be one of a `Subject`.
  public init?(_ text: String) {
    guard text.hasPrefix("\(Subject.idPrefix)_"), text.utf8.count <= 64 else { return nil }
    self.text = text
  }

  /// Makes one from random text, at least 128 bits of it.
  public init(random: String) { text = "\(Subject.idPrefix)_\(random)" }

  public var description: String { text }
}
