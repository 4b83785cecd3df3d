/// What is known of a request that was refused before any handler saw it.
///
/// Nothing of it was checked: it is good for choosing the form of the answer and for nothing else.
public struct RefusedRequest: Sendable, Equatable {
  public let failure: ParseFailure
  /// As it was sent, and cut off where it is long; empty when not even that came.
  public let target: String
  /// The field `Origin`; `nil` when there is none, or several.
  public let origin: String?

  public init(_ failure: ParseFailure, target: String, origin: String?) {
    self.failure = failure
    self.target = target
    self.origin = origin
  }

  /// Takes what came of a head that cannot be read.
  public init(_ failure: ParseFailure, beginning: Span<UInt8>) {
    let lines = beginning.copy().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    let name = "origin:"
    let origins = lines.dropFirst().prefix { !$0.isEmpty }.filter { $0.prefix(name.count).lowercased() == name }
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    self.init(
      failure, target: words.count > 1 ? String(words[1].prefix(Self.longestTarget)) : "",
      origin: origins.count == 1 ? String(origins[0].dropFirst(name.count).drop { $0 == " " }) : nil)
  }

  /// In characters; more than is needed to tell whose path it is.
  private static let longestTarget = 512
}
