public typealias InvitationID = Identifier<Invitation>

/// Lets one person without an account get one, by signing in through a connection that would not admit them otherwise.
public struct Invitation: Sendable, Equatable, Identified {
  public static let idPrefix = "inv"
  /// Seconds for which it is good: seven days.
  public static let lifetime: Int64 = 7 * 24 * 60 * 60

  public let id: InvitationID
  public let connection: ConnectionID
  /// What the administrator calls the person, and the account that they get; `nil` for what the upstream calls them.
  public let name: String?
  /// Who may accept it, also without the link, as ``Admission/listed`` names people; `nil` for whoever has the link.
  public let username: String?
  public let createdAt: Timestamp
  public let expiresAt: Timestamp

  public init(
    id: InvitationID, connection: ConnectionID, name: String?, username: String?, createdAt: Timestamp,
    expiresAt: Timestamp
  ) {
    self.id = id
    self.connection = connection
    self.name = name
    self.username = username
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }

  /// Whether somebody who proved to be `identity` at the upstream may accept it.
  ///
  /// `provenName` is the name, if any, that the upstream gives to nobody else.
  public func admits(_ identity: UpstreamIdentity, provenName: String?) -> Bool {
    guard identity.connection == connection else { return false }
    guard let username else { return true }
    return Admission.listed.admits(identity, provenName: provenName, list: [username])
  }

  /// What is wrong with it, in words for the administrator, with the field to mend.
  public var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    if let name, name.isEmpty || name.utf8.count > 100 || Self.hidesCharacters(name) {
      found.append(("invitee_name", "Give a name of 1 to 100 bytes without invisible characters, or none."))
    }
    if let username, username.isEmpty || username.utf8.count > 255 || Self.hidesCharacters(username) {
      found.append(("invitee_username", "Give the user name exactly as the service writes it, or none."))
    }
    return found
  }

  private static func hidesCharacters(_ text: String) -> Bool {
    text.unicodeScalars.contains {
      [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
    }
  }
}
