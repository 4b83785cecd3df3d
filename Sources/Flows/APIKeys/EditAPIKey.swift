public import Domain
import HTTP
import Storage

/// Changes what an API key reaches, and from where and how often it may come; its secrets go on working.
public struct EditAPIKey: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Changes the key to what `change` makes of it; what it reaches no more has ended when this returns.
  ///
  /// - Throws: ``InvalidAPIKey`` with everything to mend; `Refusal` `not_found`, and `invalid_request` for one that was
  ///   revoked.
  @discardableResult
  public func callAsFunction(
    _ id: APIKeyID, by administrator: AccountID?, _ visitor: Visitor,
    _ change: @escaping @Sendable (ClientAPIKey) -> APIKeyEdit
  ) async throws -> ClientAPIKey {
    let now = here.clock.now()
    let outcome = try await here.store.write { tx -> Outcome in
      guard let before = try tx.apiKey(id), let owner = try tx.client(before.client) else {
        return .refused(Refusal(.notFound, "There is no API key called \(id)."))
      }
      if before.revokedAt != nil {
        return .refused(Refusal(.invalidRequest, "The key was revoked before, and cannot be changed any more."))
      }
      let key = before.applying(change(before))
      let changes = before.differences(from: key)
      guard !changes.isEmpty else { return .done(before) }
      let objections = ManageAPIKeys.objections(toNetworksOf: key.limits) + key.objections(owner, try tx.connections())
      guard objections.isEmpty else { return .invalid(objections) }
      try tx.update(key)
      try tx.insert(
        AuditEvent(
          .apiKeyChanged, at: now, origin: visitor.origin, account: administrator, client: key.client,
          detail: "\(id): \(changes.joined(separator: ", "))"))
      return .done(key)
    }
    switch outcome {
    case .refused(let refusal): throw refusal
    case .invalid(let objections): throw InvalidAPIKey(objections: objections)
    case .done(let key):
      // What is under way by the proxy may not be allowed any more.
      here.proxyPlaces.end(.apiKey(id, slot: nil))
      return key
    }
  }

  private enum Outcome: Sendable {
    case done(ClientAPIKey)
    case invalid([(field: String, text: String)])
    case refused(Refusal)
  }
}

extension Installation {
  /// A key that was shown, and the same as it stands now: it may have been changed since.
  ///
  /// - Throws: `Refusal` `invalid_token` when it has ended.
  func live(_ key: ClientAPIKey?) async throws -> [ClientAPIKey] {
    guard let key else { return [] }
    try await checkLive(key)
    return [key, try await knownAPIKeys.entry(key.id, self)?.key ?? key]
  }
}

extension [ClientAPIKey] {
  /// Why what `request` asks for is not for one of them, or `nil`.
  func refusal(for request: VendRequest, of connection: ConnectionID) -> Refusal? {
    lazy.compactMap { $0.scope.refusal(for: request.resource, of: connection, method: request.proxiedMethod) }.first
  }
}
