/// What the server of a connection that opens a network asked for when the connection was made.
public struct NetworkOptions: Sendable, Equatable {
  /// Nothing weaker is accepted later.
  public var scheme: AuthenticationOffer.Scheme?
  /// What people's logins are for; nothing goes to another realm.
  public var realm: String?
  /// Of the kind `kerberos`, and there always.
  public var kerberos: KerberosOptions?

  public init(scheme: AuthenticationOffer.Scheme? = nil, realm: String? = nil) {
    self.scheme = scheme
    self.realm = realm
  }
}

/// Where the tickets of a connection come from.
public struct KerberosOptions: Sendable, Equatable {
  public var realm: String
  /// Key distribution centres as `host` or `host:port`; empty for those that the machine's own configuration names.
  public var centres: [String]

  public init(realm: String, centres: [String]) {
    self.realm = realm
    self.centres = centres
  }
}

extension TypedLogin {
  /// What keeps it from being sent by `scheme`, with the field to mend.
  public func objections(by scheme: AuthenticationOffer.Scheme) -> [(field: String, text: String)] {
    var found: [(String, String)] = []
    if password.revealed.contains(0) {
      found.append(("password", "A password cannot hold the character NUL."))
    }
    switch scheme {
    case .basic where username.contains(":"):
      found.append(("username", "This server cannot tell where a user name with a colon ends."))
    case .ntlm:
      if !username.utf8.allSatisfy({ $0 < 0x80 }) {
        found.append(("username", "A user name with other than plain English letters cannot be sent by NTLM."))
      }
      if !password.revealedText.unicodeScalars.allSatisfy({ $0.value < 0x100 }) {
        found.append(
          ("password", "A password with letters other than those of western Europe cannot be sent by NTLM."))
      }
    case .basic, .digest, .negotiate: break
    }
    return found
  }
}
