public import Domain
import Storage

/// Lets somebody set the password of a local account by a link that works once: who is new here, or has forgotten it.
public struct MakePasswordLink: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// A new local account, as an administrator describes it.
  public struct Draft: Sendable {
    let username: String
    let name: String
    /// Where the person is told of what happens to the account.
    public var email: EmailAddress?

    public init(username: String, name: String) {
      self.username = Username.folded(username)
      self.name = DisplayName.plain(name) ?? self.username
    }

    /// What is wrong with it, by field.
    public var objections: [(field: String, text: String)] {
      Username.objection(to: username).map { [("username", $0)] } ?? []
    }
  }

  /// Makes an account that signs in once its person has set a password.
  ///
  /// - Throws: `Refusal` when the draft has an objection, or the name is taken.
  public func createAccount(_ draft: Draft, _ visitor: Visitor) async throws -> (Account, link: Secret) {
    if let objection = draft.objections.first { throw Refusal(.invalidRequest, objection.text) }
    let (now, token) = (here.clock.now(), NewToken())
    let account = Account(id: .random(), name: draft.name, username: draft.username, role: .person, createdAt: now)
    let created = here.recording(
      AuditEvent(
        .accountCreated, at: now, origin: visitor.origin, account: account.id, detail: "local"))
    let isNew = try await here.store.write { tx in
      guard try tx.account(username: draft.username) == nil else { return false }
      try tx.insert(account)
      if let email = draft.email { try tx.setEmailAddress(email, of: account.id) }
      try tx.insertPasswordLink(
        token.hash, of: account.id, isMailed: false, expiresAt: now + PasswordLink.lifetime)
      try created(tx)
      return true
    }
    guard isNew else { throw Refusal(.invalidRequest, "An account with this user name exists already.") }
    return (account, link(token))
  }

  /// Makes a link for an account; the password that it has goes on working until the link is used.
  ///
  /// - Throws: `Refusal` when there is no such account, or it signs in through a service.
  public func callAsFunction(_ id: AccountID, _ visitor: Visitor) async throws -> Secret {
    let (now, token) = (here.clock.now(), NewToken())
    let made = here.recording(
      AuditEvent(.passwordLinkMade, at: now, origin: visitor.origin, account: id))
    let refusal: Refusal? = try await here.store.write { tx in
      guard let account = try tx.account(id) else {
        return Refusal(.notFound, "There is no account called \(id).")
      }
      guard account.username != nil else {
        return Refusal(.invalidRequest, "\(account.name) signs in through a service and has no password here.")
      }
      try tx.insertPasswordLink(token.hash, of: id, isMailed: false, expiresAt: now + PasswordLink.lifetime)
      try made(tx)
      return nil
    }
    if let refusal { throw refusal }
    return link(token)
  }

  private func link(_ token: NewToken) -> Secret {
    Secret("\(here.issuer)/password?ticket=\(token.secret.revealedText)")
  }
}
