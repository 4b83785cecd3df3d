public import Domain
import Storage

/// Makes the first administrator, by a one-time link or on the command line; there is no default account.
public struct SetUp: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Draft: Sendable {
    let username: String
    let name: String
    let password: Secret

    public init(username: String, name: String, password: Secret) {
      self.username = Username.folded(username)
      self.name = DisplayName.plain(name) ?? self.username
      self.password = password
    }

    /// What is wrong with the draft, by field.
    public var objections: [(field: String, text: String)] {
      var found: [(String, String)] = []
      if let text = Username.objection(to: username) { found.append(("username", text)) }
      if let text = LocalPassword.objection(to: password.revealedText, username: username) {
        found.append(("password", text))
      }
      return found
    }
  }

  /// Whether somebody can administer this installation already.
  public func isDone() async throws -> Bool { try await here.store.read { try $0.hasAdministrator() } }

  /// Makes a new link and voids the one before; the value is the parameter `ticket` of `/setup`.
  public func makeLink() async throws -> Secret {
    let token = NewToken()
    let expiresAt = here.clock.now() + SetupLink.lifetime
    try await here.store.write { try $0.insertSetupLink(token.hash, expiresAt: expiresAt) }
    return token.secret
  }

  public func isOpen(_ link: String) async throws -> Bool {
    let (hash, now) = (TokenHash(of: link), here.clock.now())
    return try await here.store.read { try $0.setupLinkIsOpen(hash, at: now) }
  }

  /// Makes the administrator and signs them in; the link is used up by the same transaction.
  ///
  /// - Throws: `Refusal` when the link does not count any more, the draft has an objection or the name is taken.
  public func createAdministrator(_ draft: Draft, link: String, _ visitor: Visitor) async throws -> NewSession {
    // Strangers without a link must not make us hash.
    guard try await isOpen(link) else { throw Self.linkIsClosed }
    let account = account(draft)
    let (session, begin) = here.beginning(
      .administrator, of: account, by: .password, visitor, at: account.createdAt)
    let signedIn = here.recording(
      AuditEvent(
        .signInSucceeded, at: account.createdAt, origin: visitor.origin, account: account.id,
        detail: BrowserSession.Kind.administrator.rawValue))
    try await insert(account, draft, .link(TokenHash(of: link)), visitor) { tx in
      try begin(tx)
      try signedIn(tx)
    }
    return session
  }

  /// Makes an administrator on the command line, whose user owns the data anyway: without a link, and signed in nowhere.
  ///
  /// It is the first one, or `another`.
  ///
  /// - Throws: `Refusal` when there is one that may not be, the draft has an objection or the name is taken.
  public func createAdministrator(_ draft: Draft, another: Bool, _ visitor: Visitor) async throws -> Account {
    let account = account(draft)
    try await insert(account, draft, another ? .another : .first, visitor) { _ in }
    return account
  }

  /// What entitles somebody to make an administrator.
  private enum Entitlement {
    /// The link makes the first administrator only, also when the command line was faster.
    case link(TokenHash)
    /// The command line, when there is no administrator yet.
    case first
    /// The command line, whether there is one or not.
    case another
  }

  private func account(_ draft: Draft) -> Account {
    Account(
      id: .random(), name: draft.name, username: draft.username, role: .administrator, createdAt: here.clock.now())
  }

  private func insert(
    _ account: Account, _ draft: Draft, _ entitlement: Entitlement, _ visitor: Visitor,
    _ alongside: @escaping @Sendable (Transaction) throws -> Void
  ) async throws {
    if let objection = draft.objections.first { throw Refusal(.invalidRequest, objection.text) }
    let hash = try await here.passwords.hash(draft.password, for: visitor.network)
    let now = here.clock.now()
    let event = here.recording(
      AuditEvent(.accountCreated, at: now, origin: visitor.origin, account: account.id, detail: "administrator"))
    let refusal: Refusal? = try await here.store.write { tx in
      if try tx.account(username: draft.username) != nil {
        return Refusal(.invalidRequest, "An account with this user name exists already.")
      }
      let isFirst = try !tx.hasAdministrator()
      switch entitlement {
      case .link(let hash):
        guard isFirst, try tx.consumeSetupLink(hash, at: now) else { return Self.linkIsClosed }
      case .first:
        guard isFirst else { return Refusal(.invalidRequest, "This installation has an administrator already.") }
      case .another: break
      }
      try tx.insert(account)
      try tx.setPasswordHash(hash, of: account.id, at: now)
      try event(tx)
      try alongside(tx)
      return nil
    }
    if let refusal { throw refusal }
  }

  private static let linkIsClosed = Refusal(
    .notFound, "This setup link was used or has expired. Restart Gatehouse for a new one.")
}
