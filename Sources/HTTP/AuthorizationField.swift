/// An `Authorization` value: a scheme and one credential (RFC 9110 §11.4).
///
/// It prints nothing of the credential.
public struct AuthorizationField: Sendable, CustomStringConvertible, CustomReflectable {
  /// In lower case: `basic`, `bearer`, `dpop`.
  public let scheme: String
  /// What follows the scheme, one token68; a secret.
  public let credential: String

  /// Reads the field; `nil` when it is missing, repeated, or not a scheme, one or more spaces and a token68.
  public init?(_ headers: Headers) {
    guard let text = headers.single("authorization") else { return nil }
    self.init(text)
  }

  /// Reads a field value.
  public init?(_ text: String) {
    let bytes = text.utf8.span
    let end = bytes.endOfToken(from: 0)
    var start = end
    while start < bytes.count, bytes[start] == space { start += 1 }
    guard end > 0, start > end, Self.isToken68(bytes.extracting(start..<bytes.count)) else { return nil }
    scheme = bytes.text(0..<end).lowercased()
    credential = bytes.text(start..<bytes.count)
  }

  public var description: String { "\(scheme) •••" }

  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }

  /// Letters, digits and `-._~+/`, then any number of `=` (RFC 9110 §11.2).
  ///
  /// Without a way out of the loop, many of a token's hundreds of bytes are compared at once.
  private static func isToken68(_ bytes: Span<UInt8>) -> Bool {
    var end = bytes.count
    while end > 0, bytes[end &- 1] == UInt8(ascii: "=") { end &-= 1 }
    var (position, strange) = (0, UInt8(0))
    while position < end {
      let byte = bytes[position]
      let isAlphanumeric = (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
      let isDashed = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
      let isDotted = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "+")
      strange |= isAlphanumeric || isDashed || isDotted ? 0 : 1
      position &+= 1
    }
    return end > 0 && strange == 0
  }
}
