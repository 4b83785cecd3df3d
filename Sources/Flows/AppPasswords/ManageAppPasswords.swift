import Crypto
public import Domain
import Storage

/// Makes and ends the app passwords of a person.
public struct ManageAppPasswords: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What a password can be made for, or is.
  public struct Place: Sendable {
    public let client: Client
    public let connection: Connection
    /// Whether it is for the apps that name no client of ours.
    public let isForNamelessApps: Bool
  }

  /// A password with what it is for.
  public struct Entry: Sendable {
    public let password: AppPassword
    public let place: Place
    /// Whether it is taken now: an administrator may have closed the way meanwhile.
    public let isTaken: Bool
  }

  /// Makes one in the place of a former one for the same, and with it allows the client the portal of the connection.
  ///
  /// - Returns: The password, and its text, which is known this once and never again.
  /// - Throws: `Refusal` `invalid_request` when none can be made for that.
  public func make(
    _ client: ClientID, at connection: ConnectionID, by account: AccountID, _ visitor: Visitor
  ) async throws -> (password: AppPassword, text: Secret) {
    let (now, held, pepper) = (here.clock.now(), HeldAppPassword(), here.purposeKeys.current(.appPassword))
    let password = AppPassword(
      id: held.id, account: account, client: client, connection: connection,
      code: pepper.mac.authenticate(held.text.revealed), pepperID: pepper.id, session: TokenHash(of: held.id.text),
      createdAt: now)
    let refusal = try await here.store.write { tx -> Refusal? in
      guard let owner = try tx.account(account), !owner.isDisabled,
        let place = try places(of: account, tx).first(where: {
          $0.client.id == client && $0.connection.id == connection
        })
      else { return Self.nothingThere }
      let before = try tx.appPasswords(of: account)
      let former = before.first { $0.client == client && $0.connection == connection }
      if former == nil, before.count >= AppPassword.mostOfAccount { return Self.tooMany }
      if let former { try tx.endAppPassword(former.id, at: now) }
      try tx.insert(password)
      try allow(password, visitor, tx)
      try tx.insert(event(.appPasswordCreated, password, former.map { "in place of \($0.id)" }, visitor, at: now))
      var facts = visitor.facts
      (facts.connection, facts.service, facts.app) = (connection, place.connection.name, place.client.name)
      try here.telling(.appPasswordMade, account, facts, at: now)(tx)
      return nil
    }
    if let refusal { throw refusal }
    return (password, held.text)
  }

  private func allow(_ password: AppPassword, _ visitor: Visitor, _ tx: Transaction) throws {
    let (before, portal) = (
      try tx.consent(of: password.account, for: password.client), Scope.arcGIS(password.connection)
    )
    if let before, portal.isWithin(before.scope) { return }
    try tx.put(
      Consent(
        account: password.account, client: password.client, scope: portal.union(before?.scope ?? .none),
        connections: before?.connections ?? [], unattended: before?.unattended ?? [], givenAt: password.createdAt))
    try tx.insert(event(.consentGiven, password, "by an app password", visitor, at: password.createdAt))
  }

  /// Ends one of the account's own with all that was given for it.
  ///
  /// - Returns: What it was for.
  public func end(_ id: AppPasswordID, by account: AccountID, _ visitor: Visitor) async throws -> AppPassword {
    let now = here.clock.now()
    let ended = try await here.store.write { tx -> AppPassword? in
      guard let password = try tx.appPassword(id), password.account == account else { return nil }
      try tx.endAppPassword(id, at: now)
      try tx.insert(event(.appPasswordEnded, password, nil, visitor, at: now))
      return password
    }
    guard let ended else { throw Refusal(.notFound, "You have no app password of this id.") }
    here.proxyPlaces.end(.consent(ended.client, of: account))
    return ended
  }

  private func event(
    _ name: AuditEvent.Name, _ password: AppPassword, _ detail: String?, _ visitor: Visitor, at now: Timestamp
  ) -> AuditEvent {
    AuditEvent(
      name, at: now, origin: visitor.origin, account: password.account, client: password.client,
      connection: password.connection,
      detail: name == .consentGiven ? detail : [password.id.text, detail].compactMap(\.self).joined(separator: ", "))
  }

  /// The passwords of an account, the newest first, and what it can have others for.
  public func list(of account: AccountID) async throws -> (entries: [Entry], places: [Place]) {
    try await here.store.read { tx in
      let places = try places(of: account, tx)
      let entries = try tx.appPasswords(of: account).compactMap { password -> Entry? in
        guard let client = try tx.client(password.client), let connection = try tx.connection(password.connection)
        else { return nil }
        let place = Place(
          client: client, connection: connection, isForNamelessApps: connection.appPasswordClient == client.id)
        let isTaken = places.contains { $0.client.id == client.id && $0.connection.id == connection.id }
        return Entry(password: password, place: place, isTaken: isTaken)
      }
      return (entries, places)
    }
  }

  /// The portals where app passwords are taken and that the account is connected to, each with the clients of its apps.
  private func places(of account: AccountID, _ tx: Transaction) throws -> [Place] {
    let open = try tx.connections().filter { connection in
      guard connection.appPasswordClient != nil, !connection.isDisabled else { return false }
      return try tx.credential(of: account, for: connection.id).map { $0.state != .closing } ?? false
    }
    guard !open.isEmpty else { return [] }
    let clients = try tx.clients()
    return open.flatMap { connection in
      clients.filter { $0.appPasswordObjection(at: connection) == nil }.map {
        Place(client: $0, connection: connection, isForNamelessApps: connection.appPasswordClient == $0.id)
      }
    }
  }

  private static let nothingThere = Refusal(
    .invalidRequest, "No app password can be made for that. Connect the service first, and choose one of the list.")
  private static let tooMany = Refusal(
    .invalidRequest, "You have \(AppPassword.mostOfAccount) app passwords, which is the most. End one of them first.")
}
