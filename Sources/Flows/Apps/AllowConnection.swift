public import Domain
import Storage

/// Lets the person whom an app waits for allow it one connection, by the link that the app was given.
public struct AllowConnection: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Where a link stands for the person it was made for.
  public struct Question: Sendable {
    public let client: Client
    public let connection: Connection
    /// What the person holds for the connection; one that only they can mend counts as nothing.
    public let credential: Credential?
    /// Whether the app gets the upstream's own token, which can do everything its owner can.
    public let handsOutRawTokens: Bool
    public let isAllowed: Bool
  }

  /// - Throws: `Refusal` when the link is for another account, or the app may not use the connection any more.
  public func question(_ ticket: InteractionTicket, _ signedIn: SignedIn) async throws -> Question {
    try await here.store.read { try self.question(ticket, signedIn, $0) }
  }

  /// The person allowed it: adds the connection, with the scope `vend`, to what the app may do.
  ///
  /// - Throws: `Refusal` as ``question(_:_:)`` does, and when the connection is not connected.
  public func allow(_ ticket: InteractionTicket, _ signedIn: SignedIn, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let given = here.recording(event(.consentGiven, ticket, visitor, at: now))
    try await here.store.write { tx in
      guard try question(ticket, signedIn, tx).credential != nil else {
        throw Refusal(.invalidRequest, "The service is not connected any more. Open the link of the app again.")
      }
      let before = try tx.consent(of: ticket.account, for: ticket.client)
      let others = (before?.connections ?? []).filter { $0 != ticket.connection }
      try tx.put(
        Consent(
          account: ticket.account, client: ticket.client, scope: (before?.scope ?? .none).union(Self.scope),
          connections: others + [ticket.connection], unattended: before?.unattended ?? [], givenAt: now))
      try given(tx)
    }
  }

  /// The person refused; what was allowed before stays.
  public func deny(_ ticket: InteractionTicket, _ signedIn: SignedIn, _ visitor: Visitor) async throws {
    _ = try await question(ticket, signedIn)
    try await here.record(event(.consentRefused, ticket, visitor, at: here.clock.now()))
  }

  private static let scope = Scope(Scope.vend) ?? .none

  private func event(
    _ name: AuditEvent.Name, _ ticket: InteractionTicket, _ visitor: Visitor, at now: Timestamp
  ) -> AuditEvent {
    AuditEvent(
      name, at: now, origin: visitor.origin, account: ticket.account, client: ticket.client,
      connection: ticket.connection)
  }

  private func question(_ ticket: InteractionTicket, _ signedIn: SignedIn, _ tx: Transaction) throws -> Question {
    guard ticket.account == signedIn.account.id else {
      throw Refusal(
        .accessDenied,
        "The link was made for another account than the one you are signed in with. Nothing was connected or allowed.")
    }
    guard let client = try tx.client(ticket.client), !client.isDisabled,
      let connection = try tx.connection(ticket.connection), !connection.isDisabled,
      let permission = client.permission(for: connection.id), client.scope.contains(Scope.vend)
    else { throw Refusal(.accessDenied, "The app may not use this service any more.") }
    let credential = try tx.credential(of: ticket.account, for: connection.id)
    let consent = try tx.consent(of: ticket.account, for: client.id)
    let isAllowed = consent.map { $0.scope.contains(Scope.vend) && $0.connections.contains(connection.id) } ?? false
    return Question(
      client: client, connection: connection, credential: credential?.state == .active ? credential : nil,
      handsOutRawTokens: permission.handsOutRawTokens(of: connection), isAllowed: isAllowed)
  }
}
