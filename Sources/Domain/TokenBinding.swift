/// What a token is bound to: a key whose holder alone may present it (RFC 7800 §3.1), or, as ArcGIS has it, where it comes
/// from.
public enum TokenBinding: Sendable, Equatable, Hashable {
  /// The SHA-256 thumbprint of a DPoP key in base64url (RFC 9449 §6.1).
  case dpop(String)
  /// The SHA-256 thumbprint of a client certificate in base64url (RFC 8705 §3.1).
  case certificate(String)
  /// The page, by the beginning of the `Referer` of its requests; whoever has the token can send any.
  case referer(String)
  /// The address that requests come from.
  case address(String)

  /// The member of `cnf` that names it.
  public var member: (name: String, value: String) {
    switch self {
    case .dpop(let thumbprint): ("jkt", thumbprint)
    case .certificate(let thumbprint): ("x5t#S256", thumbprint)
    case .referer(let page): ("urn:gatehouse:referer", page)
    case .address(let address): ("urn:gatehouse:address", address)
    }
  }

  public init?(name: String, value: String) {
    switch name {
    case "jkt": self = .dpop(value)
    case "x5t#S256": self = .certificate(value)
    case "urn:gatehouse:referer": self = .referer(value)
    case "urn:gatehouse:address": self = .address(value)
    default: return nil
    }
  }

  /// As one text, to be stored.
  public var text: String { "\(member.name) \(member.value)" }

  public init?(text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(name: parts[0], value: parts[1])
  }

  /// What the token endpoint calls such a token (RFC 9449 §5, RFC 8705 §3).
  public var tokenType: String { if case .dpop = self { "DPoP" } else { "Bearer" } }
}
