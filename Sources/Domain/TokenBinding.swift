/// The key that a token is bound to: it counts only with a proof that whoever presents it holds that (RFC 7800 §3.1).
public enum TokenBinding: Sendable, Equatable, Hashable {
  /// The SHA-256 thumbprint of a DPoP key in base64url (RFC 9449 §6.1).
  case dpop(String)
  /// The SHA-256 thumbprint of a client certificate in base64url (RFC 8705 §3.1).
  case certificate(String)

  /// The member of `cnf` that names the key.
  public var member: (name: String, value: String) {
    switch self {
    case .dpop(let thumbprint): ("jkt", thumbprint)
    case .certificate(let thumbprint): ("x5t#S256", thumbprint)
    }
  }

  public init?(name: String, value: String) {
    switch name {
    case "jkt": self = .dpop(value)
    case "x5t#S256": self = .certificate(value)
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
