/// A cookie to set (RFC 6265 §4.1, RFC 6265bis for `SameSite` and the name prefixes).
///
/// The defaults are the safe ones; a value of this type can always be sent.
public struct SetCookie: Sendable, Equatable {
  private let name: String
  private let value: String
  private let attributes: Attributes

  /// Where and how long the cookie is sent back.
  public struct Attributes: Sendable, Equatable {
    public var path = "/"
    public var isSecure = true
    public var isHTTPOnly = true
    public var sameSite = SameSite.lax
    /// The lifetime in seconds, 0 to delete it now; `nil` until the browser closes.
    public var maxAge: Int?

    /// The safe defaults: the whole site, TLS only, hidden from scripts, `SameSite=Lax`, until the browser closes.
    public init() {}
  }

  /// Whether another site's request carries the cookie.
  public enum SameSite: String, Sendable {
    case strict = "Strict"
    case lax = "Lax"
  }

  /// A cookie, or `nil` when a browser would refuse or misread it.
  ///
  /// That is: a name that is no token; a value with bytes other than letters, digits and the marks RFC 6265 §4.1.1
  /// allows; a path that is not absolute; `__Host-` without `Secure` and `/`, `__Secure-` without `Secure`; more than
  /// 4,096 bytes of name and value.
  public init?(_ name: String, _ value: String, _ attributes: Attributes = Attributes()) {
    guard !name.isEmpty, name.utf8.allSatisfy(isTokenCharacter), value.utf8.allSatisfy(Self.isValueByte),
      name.utf8.count + value.utf8.count <= 4096
    else { return nil }
    guard attributes.path.utf8.first == UInt8(ascii: "/"),
      attributes.path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") })
    else { return nil }
    if name.hasPrefix("__Host-"), !attributes.isSecure || attributes.path != "/" { return nil }
    if name.hasPrefix("__Secure-"), !attributes.isSecure { return nil }
    self.name = name
    self.value = value
    self.attributes = attributes
  }

  /// The value of the `Set-Cookie` field.
  public var text: String {
    var text = "\(name)=\(value); Path=\(attributes.path)"
    if let maxAge = attributes.maxAge { text += "; Max-Age=\(max(0, maxAge))" }
    if attributes.isSecure { text += "; Secure" }
    if attributes.isHTTPOnly { text += "; HttpOnly" }
    return text + "; SameSite=\(attributes.sameSite.rawValue)"
  }

  private static func isValueByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\"): false
    default: byte > 0x20 && byte < 0x7F
    }
  }
}

extension Headers {
  /// Adds a `Set-Cookie` field.
  public mutating func add(_ cookie: SetCookie) {
    guard let value = FieldValue(cookie.text) else { return }
    add("set-cookie", value)
  }
}
