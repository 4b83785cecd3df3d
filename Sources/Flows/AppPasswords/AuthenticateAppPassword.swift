import Crypto
public import Domain
import Storage

/// Finds out whose app password an app shows, with the user name that the portal knows the person by.
public struct AuthenticateAppPassword: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What was typed into an app.
  public struct Shown: Sendable {
    let username: String
    let password: Secret

    public init(username: String, password: Secret) {
      self.username = username
      self.password = password
    }
  }

  /// The password, if it is one of `client` at the portal of `face`.
  ///
  /// One that is right is never slowed: nobody can guess it, and so nobody can lock its owner out.
  ///
  /// - Throws: `Refusal` `invalid_grant`, the same for an unknown user and a wrong password, or `slow_down` after several
  ///   such for one name from one network.
  public func callAsFunction(
    _ shown: Shown, of client: Client, at face: ArcGISFace, _ visitor: Visitor
  ) async throws -> AppPassword {
    let username = Username.folded(shown.username)
    let found = try await read(shown.password)
    if let found, found.isRight, try await isTaken(found.password, username, client, face) {
      here.appPasswordThrottle.forgive(username, from: visitor.network)
      return found.password
    }
    if let seconds = here.appPasswordThrottle.begin(username, from: visitor.network, at: here.clock.now()) {
      throw Refusal(.slowDown, "Too many wrong passwords. Wait before the next.", retryAfter: seconds)
    }
    if let password = found?.password {
      let detail = "\(password.id), shown for \(client.id)"
      try await here.recordRefusal(
        .appPasswordRefused, account: password.account, client: password.client, connection: face.connection.id,
        detail: detail, visitor)
    }
    throw Refusal(
      .invalidGrant,
      "An app takes the user name of the portal and an app password, never the password of an account. "
        + "App passwords are made at \(here.issuer)/account/apps")
  }

  /// The password of the id that is shown, and whether the rest of it is right; the same work for one that there is not,
  /// so that the time tells nothing.
  private func read(_ shown: Secret) async throws -> (password: AppPassword, isRight: Bool)? {
    guard let held = HeldAppPassword(shown.revealedText) else { return nil }
    guard let password = try await here.store.read({ try $0.appPassword(held.id) }) else {
      _ = here.purposeKeys.current(.appPassword).mac.authenticate(held.text.revealed)
      return nil
    }
    let key = here.purposeKeys.key(password.pepperID, for: .appPassword)
    return (password, key?.mac.isValid(password.code, for: held.text.revealed) ?? false)
  }

  private func isTaken(
    _ password: AppPassword, _ username: String, _ client: Client, _ face: ArcGISFace
  ) async throws -> Bool {
    guard password.client == client.id, password.connection == face.connection.id,
      let known = try await here.portalUsername(of: password.account, at: face),
      Username.folded(known) == username
    else { return false }
    return try await here.store.read { try $0.counts(password) }
  }
}

extension Transaction {
  /// Whether everything stands on which a password rests: the administrator's leave, the person's consent and account.
  func counts(_ password: AppPassword) throws -> Bool {
    guard let connection = try connection(password.connection), !connection.isDisabled,
      connection.appPasswordClient != nil, let client = try client(password.client),
      client.appPasswordObjection(at: connection) == nil, let account = try account(password.account),
      !account.isDisabled, let consent = try consent(of: account.id, for: client.id),
      try appPassword(password.id) != nil
    else { return false }
    return Scope.arcGIS(connection.id).isWithin(consent.scope)
  }

  /// Whether the password that `family` was given for counts; `true` for what was given for none.
  func countsAppPassword(of family: TokenFamily) throws -> Bool {
    guard !family.scope.arcGISConnections.isEmpty, let password = try appPassword(ofSession: family.session) else {
      return true
    }
    return try counts(password)
  }
}
