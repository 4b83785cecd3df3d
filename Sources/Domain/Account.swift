public typealias AccountID = Identifier<Account>

/// A person here.
public struct Account: Sendable, Equatable, Identified {
  public static let idPrefix = "acct"

  public enum Role: String, Sendable {
    case person
    case administrator
    /// ``Account/service`` alone.
    case service
  }

  /// The service itself, which owns the credentials that are no person's: it never signs in, and no list shows it.
  public static let service = AccountID(random: "service")

  public let id: AccountID
  /// What the pages call the person.
  public let name: String
  /// The name typed at the local sign-in, folded to lower case; `nil` for people who only come through a connection.
  public let username: String?
  public let role: Role
  public let isDisabled: Bool
  public let createdAt: Timestamp

  public init(
    id: AccountID, name: String, username: String?, role: Role, isDisabled: Bool = false, createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.username = username
    self.role = role
    self.isDisabled = isDisabled
    self.createdAt = createdAt
  }
}

/// Who somebody is at an upstream: the key that links an account to a connection.
///
/// Never an e-mail address, which can change hands (OpenID Connect Core §5.7). At an ArcGIS portal the issuer is the
/// portal with its organisation id, and the subject the user name.
public struct UpstreamIdentity: Sendable, Hashable {
  public let connection: ConnectionID
  public let issuer: String
  public let subject: String
  /// What to call the identity on pages, for example the user name.
  public let displayName: String

  public init(connection: ConnectionID, issuer: String, subject: String, displayName: String) {
    self.connection = connection
    self.issuer = issuer
    self.subject = subject
    self.displayName = displayName
  }

  /// Whether both name the same identity, whatever it is called on pages.
  public func isSame(as other: UpstreamIdentity) -> Bool {
    // By bytes, as the store compares: canonically equivalent names can belong to two people.
    connection == other.connection && issuer.utf8.elementsEqual(other.issuer.utf8)
      && subject.utf8.elementsEqual(other.subject.utf8)
  }
}

/// Who may get an account by signing in through a connection.
public enum Admission: String, Sendable, CaseIterable {
  /// Only people with an ``Invitation``; whoever has an account already connects while signed in.
  case invited
  /// Also people whose name is on the connection's list.
  case listed
  /// Anyone who can sign in upstream.
  case anyone

  /// Whether somebody without an account may have one made.
  ///
  /// A list names people by their subject, or by `name`, which the upstream gives to nobody else. What they are called
  /// on pages does not count: at many providers people choose it themselves.
  public func admits(_ identity: UpstreamIdentity, provenName name: String?, list: [String]) -> Bool {
    switch self {
    case .invited: false
    case .listed:
      list.contains { listed in
        [identity.subject, name].contains { $0?.utf8.elementsEqual(listed.utf8) ?? false }
      }
    case .anyone: true
    }
  }
}
