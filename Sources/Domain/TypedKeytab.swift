/// A keytab file of a person, with whose key in it is meant.
public struct TypedKeytab: Sendable, Equatable {
  /// In bytes; a real one has a few hundred.
  public static let longest = 64 * 1024

  /// Without the realm.
  public let principal: String
  public let content: Secret

  public init(principal: String, content: Secret) {
    self.principal = principal
    self.content = content
  }

  /// What is wrong with it before anybody is asked, with the field to mend.
  public var objections: [(field: String, text: String)] {
    var found = TypedLogin(username: principal, password: Secret("-")).principalObjections
    let bytes = content.revealed
    if bytes.count > Self.longest {
      found.append(("keytab", "A keytab has at most 64 KiB."))
    } else if bytes.count < 2 || bytes[0] != 5 || !(1...2).contains(bytes[1]) {
      // The version of the format, which every keytab begins with.
      found.append(("keytab", "This file is no keytab."))
    }
    return found
  }
}

extension TypedLogin {
  /// What is wrong with it as a principal of a Kerberos realm.
  public var principalObjections: [(field: String, text: String)] {
    var found = objections
    if password.revealed.contains(0) {
      found.append(("password", "A password cannot hold the character NUL."))
    }
    // What the library would read as a realm, or as an escape.
    if username.contains("@") || username.contains("\\") {
      found.append(("username", "Enter the user name alone: the realm stands above."))
    }
    return found
  }
}

/// What keeps a Kerberos ticket from being had or taken, where that has words of its own.
public enum KerberosProblem: Error, Equatable, Sendable {
  case unknownPrincipal
  /// The password has ended, or the principal has.
  case expired
  /// Our clock differs from the realm's by more than that allows.
  case clockSkew
  /// No keytab, or without a key of the principal.
  case invalidKeytab
  /// The ticket is good, and the server does not take it.
  case ticketRefused(String)

  /// For the log and the audit.
  public var word: String {
    switch self {
    case .unknownPrincipal: "unknown principal"
    case .expired: "password expired"
    case .clockSkew: "clock skew"
    case .invalidKeytab: "invalid keytab"
    case .ticketRefused: "ticket refused"
    }
  }
}
