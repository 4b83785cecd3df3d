public import Domain
import Storage

/// Disables, enables or deletes a client, or gives it a new secret.
public struct ChangeClient: Sendable {
  /// Seconds that the secret before goes on working after a new one was made, so that the app can be changed without a
  /// gap; making another new one ends it at once.
  public static let secretOverlap: Int64 = 24 * 60 * 60

  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Change: String, Sendable {
    case disable
    case enable
    case delete
  }

  /// A secret that is shown this once and never again.
  public struct NewSecret: Sendable {
    public let client: Client
    public let secret: Secret
    /// Until when the one before it works; `nil` when there was none.
    public let previousEndsAt: Timestamp?
  }

  /// Returns the client as it was before; `administrator` is `nil` on the command line.
  ///
  /// - Throws: `Refusal` `not_found`.
  @discardableResult
  public func callAsFunction(
    _ change: Change, _ id: ClientID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> Client {
    let now = here.clock.now()
    let event = here.recording(
      AuditEvent(
        change == .delete ? .clientDeleted : .clientChanged, at: now, origin: visitor.origin, account: administrator,
        client: id, detail: change.rawValue))
    let before: Client? = try await here.store.write { tx in
      guard let client = try tx.client(id) else { return nil }
      switch change {
      case .disable: try tx.setClient(id, disabled: true, at: now)
      case .enable: try tx.setClient(id, disabled: false, at: now)
      case .delete: try tx.deleteClient(id)
      }
      try event(tx)
      return client
    }
    guard let before else { throw Self.unknown(id) }
    if change != .enable { here.proxyPlaces.end(.client(id)) }
    return before
  }

  /// Makes a new secret beside the present one, which works for ``secretOverlap`` more; older ones end at once.
  ///
  /// `present` names the secret (``ClientSecrets/present``) that the administrator knows as the present one, if they
  /// looked; `endsOlder` is whether they know that one older than that would end.
  ///
  /// - Throws: `Refusal` when there is no such client, it is public and has none, another secret was made meanwhile
  ///   (``madeMeanwhile``), or one would end that nobody said to end (``olderWorks``).
  public func rotateSecret(
    of id: ClientID, insteadOf present: String? = nil, endsOlder: Bool = true, by administrator: AccountID?,
    _ visitor: Visitor
  ) async throws -> NewSecret {
    let (now, secret) = (here.clock.now(), NewToken())
    let end = now + Self.secretOverlap
    let event = here.recording(
      AuditEvent(
        .clientChanged, at: now, origin: visitor.origin, account: administrator, client: id, detail: "secret rotated"))
    let result: Result<NewSecret, Refusal> = try await here.store.write { tx in
      guard let client = try tx.client(id) else { return .failure(Self.unknown(id)) }
      guard client.kind == .confidential else {
        return .failure(Refusal(.invalidRequest, "A public client has no secret."))
      }
      guard client.authentication.usesSecret else {
        return .failure(
          Refusal(.invalidRequest, "This client has no secret: it authenticates by \(client.authentication.rawValue)."))
      }
      let working = try tx.secretEntries(of: id, at: now)
      if let present, working.last?.reference != present { return .failure(Self.madeMeanwhile) }
      if !endsOlder, working.count > 1 { return .failure(Self.olderWorks) }
      let hadOne = try tx.addSecret(secret.hash, of: id, at: now, previousEndsAt: end)
      try event(tx)
      return .success(NewSecret(client: client, secret: secret.secret, previousEndsAt: hadOne ? end : nil))
    }
    return try result.get()
  }

  /// Another secret was made since the administrator looked; nothing was changed.
  public static let madeMeanwhile = Refusal(
    .invalidRequest, "A secret was made since you opened the page. Nothing was changed by this form.")

  /// A secret that was replaced less than ``secretOverlap`` ago would end; nothing was changed.
  public static let olderWorks = Refusal(
    .invalidRequest, "An older secret still works, and another new one would end it at once. Nothing was changed.")

  static func unknown(_ id: ClientID) -> Refusal { Refusal(.notFound, "There is no client called \(id).") }
}
