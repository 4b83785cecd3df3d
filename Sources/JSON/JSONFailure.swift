/// Why bytes were refused as JSON, and at which byte.
///
/// Holds no part of the input, so it may be logged.
public struct JSONFailure: Error, Equatable, CustomStringConvertible {
  /// What was wrong.
  public enum Reason: String, Sendable {
    case tooLong = "the document is longer than allowed"
    case tooDeep = "arrays and objects are nested deeper than allowed"
    case unexpectedEnd = "the document ends too early"
    case unexpectedByte = "a byte stands where JSON does not allow it"
    case trailingBytes = "something follows the value"
    case duplicateName = "an object has the same name twice"
    case invalidText = "a string is not valid UTF-8 or has half a surrogate pair"
    case invalidEscape = "a string has an unknown escape"
    case numberOutOfRange = "a number is too large for a double"
  }

  public let reason: Reason
  /// How many bytes precede the fault.
  public let offset: Int

  public init(reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String { "invalid JSON at byte \(offset): \(reason.rawValue)" }
}

/// What a JSON document may cost before it is refused.
public struct JSONLimits: Sendable {
  /// Bytes of the whole document.
  public let size: Int
  /// Arrays and objects inside each other.
  public let depth: Int

  /// Limits for one document; 1 MiB and 32 levels unless told otherwise.
  public init(size: Int = 1 << 20, depth: Int = 32) {
    self.size = size
    self.depth = depth
  }
}
