public import Domain
import Storage

/// Invites one person to get an account through a connection, by a one-time link or by their user name there.
public struct InvitePerson: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Draft: Sendable {
    let connection: ConnectionID
    let name: String?
    let username: String?

    /// Empty texts count as none.
    public init(connection: ConnectionID, name: String, username: String) {
      self.connection = connection
      self.name = name.isEmpty ? nil : name
      self.username = username.isEmpty ? nil : username
    }

    /// What is wrong with the draft, by field.
    public var objections: [(field: String, text: String)] {
      invitation(.random(), at: Timestamp(seconds: 0)).objections
    }

    func invitation(_ id: InvitationID, at now: Timestamp) -> Invitation {
      Invitation(
        id: id, connection: connection, name: name, username: username, createdAt: now,
        expiresAt: now + Invitation.lifetime)
    }
  }

  /// - Returns: The invitation, and the address to give to the person: it is known this once and never again.
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line: ``Needless`` when
  ///   the connection admits anyone.
  public func callAsFunction(
    _ draft: Draft, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (invitation: Invitation, link: Secret) {
    if let objection = draft.objections.first { throw Refusal(.invalidRequest, objection.text) }
    let (now, token) = (here.clock.now(), NewToken())
    let invitation = draft.invitation(.random(), at: now)
    let invited = here.recording(event(.invited, invitation, administrator, visitor, at: now))
    let admission = try await here.store.write { tx -> Admission? in
      guard let connection = try tx.connection(invitation.connection) else { return nil }
      if !connection.kind.connectsInBrowser { throw Self.noWayIn(connection) }
      if connection.proxy(among: try tx.connections()) != nil { throw Self.noWayIn(connection) }
      if connection.admission == .anyone { return .anyone }
      try tx.insert(invitation, link: token.hash)
      try invited(tx)
      return connection.admission
    }
    guard let admission else { throw Refusal(.notFound, "There is no connection called \(invitation.connection).") }
    if admission == .anyone { throw Needless(connection: invitation.connection, issuer: here.issuer) }
    return (invitation, Secret("\(here.issuer)/invitation?ticket=\(token.secret.revealedText)"))
  }

  private static func noWayIn(_ connection: Connection) -> Refusal {
    Refusal(
      .invalidRequest,
      "Nobody signs in with \(connection.id). Invite people to another connection.")
  }

  /// Nobody needs an invitation to the connection; none was made.
  public struct Needless: Error, CustomStringConvertible {
    let connection: ConnectionID
    let issuer: String

    public var description: String {
      "Nobody needs an invitation to \(connection): anyone who can sign in there gets an account. Send people to "
        + "\(issuer)/signin/\(connection)"
    }
  }

  /// Withdraws an invitation that nobody accepted yet.
  ///
  /// - Throws: `Refusal` `not_found` when it is not open any more.
  @discardableResult
  public func withdraw(
    _ id: InvitationID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> Invitation {
    let now = here.clock.now()
    let withdrawn: Invitation? = try await here.store.write { tx in
      guard let invitation = try tx.finishInvitation(id, at: now) else { return nil }
      try here.recording(event(.invitationWithdrawn, invitation, administrator, visitor, at: now))(tx)
      return invitation
    }
    guard let withdrawn else {
      throw Refusal(.notFound, "The invitation \(id) is not open: it was accepted or withdrawn, or has expired.")
    }
    return withdrawn
  }

  private func event(
    _ name: AuditEvent.Name, _ invitation: Invitation, _ administrator: AccountID?, _ visitor: Visitor,
    at now: Timestamp
  ) -> AuditEvent {
    AuditEvent(
      name, at: now, origin: visitor.origin, account: administrator, connection: invitation.connection,
      detail: invitation.id.text)
  }
}

extension Installation {
  /// The invitations that can still be accepted, the newest first; those to one connection, or all of them.
  public func openInvitations(to connection: ConnectionID? = nil) async throws -> [Invitation] {
    let now = clock.now()
    let all = try await store.read { try $0.openInvitations(at: now) }
    return all.filter { connection == nil || $0.connection == connection }
  }
}
