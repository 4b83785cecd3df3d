public import Domain
import Storage

/// Changes what a client was registered with, and says that an app which registered itself is known.
public struct EditClient: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Replaces everything that the draft holds but the kind, which stays.
  ///
  /// - Returns: The client as it is now and, if it needs one for the first time, its new secret.
  /// - Throws: `Refusal` with a sentence for the administrator; `not_found`.
  public func callAsFunction(
    _ draft: CreateClient.Draft, of id: ClientID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (client: Client, secret: Secret?) {
    let now = here.clock.now()
    let event = here.recording(
      AuditEvent(
        .clientChanged, at: now, origin: visitor.origin, account: administrator, client: id, detail: "edited"))
    let result: Result<(Client, Secret?), Refusal> = try await here.store.write { tx in
      guard let before = try tx.client(id) else {
        return .failure(Refusal(.notFound, "There is no client called \(id)."))
      }
      let client = draft.client(replacing: before)
      if let objection = client.objection { return .failure(Refusal(.invalidRequest, objection)) }
      if let objection = CreateClient.objections(toKeysOf: client).first {
        return .failure(Refusal(.invalidRequest, objection.text))
      }
      if let refusal = try CreateClient.refusal(of: client, insteadOf: before, tx) { return .failure(refusal) }
      let secret = try tx.save(client, insteadOf: before, at: now)
      try event(tx)
      return .success((client, secret))
    }
    // What is under way by the proxy may not be allowed any more.
    here.proxyPlaces.end(.client(id))
    return try result.get()
  }

  /// Notes that an administrator knows an app that registered itself, as the page with this `mark` showed it.
  ///
  /// - Throws: `Refusal` `not_found`, and `invalid_request` when the app has changed since.
  public func trust(_ id: ClientID, as mark: String, by administrator: AccountID?, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let event = here.recording(
      AuditEvent(
        .clientChanged, at: now, origin: visitor.origin, account: administrator, client: id, detail: "trusted"))
    let refusal: Refusal? = try await here.store.write { tx in
      guard let client = try tx.client(id) else { return Refusal(.notFound, "There is no client called \(id).") }
      let registration = try tx.registration(of: id)
      guard client.isTrusted || client.mark(registration) == mark else {
        return Refusal(.invalidRequest, "The app has changed since you opened its page. Look at it again.")
      }
      if try tx.checkRegistration(of: id, at: now) { try event(tx) }
      return nil
    }
    if let refusal { throw refusal }
  }
}
