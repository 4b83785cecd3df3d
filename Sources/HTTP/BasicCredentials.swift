/// A user name and password of the Basic scheme (RFC 7617).
///
/// It prints nothing of the password.
public struct BasicCredentials: Sendable, CustomStringConvertible, CustomReflectable {
  /// What stands before the first colon.
  public let user: String
  public let password: String

  /// Reads the credential of `field`; `nil` when the scheme is another or the credential is malformed.
  ///
  /// Malformed are lax base64, bytes that are not UTF-8, control characters, and a missing colon (RFC 7617 §2).
  public init?(_ field: AuthorizationField) {
    guard field.scheme == "basic", let bytes = Base64.decode(field.credential.utf8.span),
      bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes.span.validText != nil
    else { return nil }
    user = bytes.span.text(0..<colon)
    password = bytes.span.text(colon + 1..<bytes.count)
  }

  public var description: String { "\(user):•••" }

  public var customMirror: Mirror { Mirror(self, children: ["user": user]) }

  /// The same with both parts form-decoded, as OAuth clients send them (RFC 6749 §2.3.1); `nil` for a bad escape.
  public var formDecoded: BasicCredentials? {
    guard let user = PercentCoding.formText(user.utf8.span),
      let password = PercentCoding.formText(password.utf8.span)
    else { return nil }
    return BasicCredentials(user: user, password: password)
  }

  private init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}
