import Crypto
public import Domain
import HTTP
public import Storage

/// Makes API keys, lets one secret follow the other, and ends them.
public struct ManageAPIKeys: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What an administrator gives a key.
  public struct Draft: Sendable {
    public var name: String
    public var kind: ClientAPIKey.Kind
    public var scope: APIKeyScope
    public var limits: APIKeyLimits
    /// How long its first secret is good, in days.
    public var days: Int64

    public init(name: String, kind: ClientAPIKey.Kind, scope: APIKeyScope, limits: APIKeyLimits, days: Int64) {
      self.name = name
      self.kind = kind
      self.scope = scope
      self.limits = limits
      self.days = days
    }
  }

  /// - Returns: The key, and its text, which is known this once and never again.
  /// - Throws: ``InvalidAPIKey`` with everything to mend; `Refusal` `not_found` without the client.
  public func create(
    _ draft: Draft, for client: ClientID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (key: ClientAPIKey, text: Secret) {
    let (now, id) = (here.clock.now(), APIKeyID.random())
    let held = HeldAPIKey.new(id, draft.kind)
    let key = ClientAPIKey(
      id: id, client: client, name: draft.name, kind: draft.kind, scope: draft.scope, limits: draft.limits,
      createdAt: now, slots: [slot(1, of: held, days: draft.days, at: now)])
    let event = here.recording(self.event(.apiKeyCreated, key, by: administrator, visitor))
    let objections = Self.objections(to: draft)
    let found = try await here.store.write { tx -> [(field: String, text: String)]? in
      guard let owner = try tx.client(client) else { return nil }
      var all = objections + key.objections(owner, try tx.connections())
      if try tx.apiKeys(of: client).filter({ $0.revokedAt == nil }).count >= ClientAPIKey.mostOfClient {
        all.append(
          ("name", "\(owner.name) has \(ClientAPIKey.mostOfClient) keys, which is the most a client can have."))
      }
      guard all.isEmpty else { return all }
      try tx.insert(key)
      try event(tx)
      return []
    }
    guard let found else { throw Refusal(.notFound, "There is no client called \(client).") }
    guard found.isEmpty else { throw InvalidAPIKey(objections: found) }
    return (key, held.text)
  }

  /// Gives a key a second secret, so that apps can change over while the first still works.
  ///
  /// - Returns: The key, the number of the slot that took the secret, and its text.
  public func next(
    _ id: APIKeyID, days: Int64, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (key: ClientAPIKey, slot: Int64, text: Secret) {
    guard ClientAPIKey.days.contains(days) else { throw Self.wrongDays }
    let now = here.clock.now()
    guard let kind = try await here.store.read({ try $0.apiKey(id)?.kind }) else { throw Self.unknown(id) }
    let held = HeldAPIKey.new(id, kind)
    let slots = ([1, 2] as [Int64]).map { slot($0, of: held, days: days, at: now) }
    let outcome = try await here.store.write { tx -> Result<(ClientAPIKey, Int64), Refusal> in
      guard let key = try tx.apiKey(id) else { return .failure(Self.unknown(id)) }
      if key.revokedAt != nil { return .failure(Self.isRevoked) }
      let number: Int64
      do throws(Refusal) { number = try key.nextSlot(at: now) } catch { return .failure(error) }
      try tx.put(slots[Int(number) - 1], of: id)
      try tx.insert(event(.apiKeyFollowed, key, by: administrator, visitor))
      return .success((try tx.apiKey(id) ?? key, number))
    }
    let (key, number) = try outcome.get()
    return (key, number, held.text)
  }

  /// Ends a key, or one of its secrets: whoever shows it from now on is refused.
  public func revoke(
    _ id: APIKeyID, slot: Int64? = nil, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    let now = here.clock.now()
    let refusal = try await here.store.write { tx -> Refusal? in
      guard let key = try tx.apiKey(id) else { return Self.unknown(id) }
      let isEnded =
        if let slot { try tx.revokeAPIKeySlot(slot, of: id, at: now) } else { try tx.revokeAPIKey(id, at: now) }
      guard isEnded else {
        return slot == nil ? Self.isRevoked : Refusal(.notFound, "There is no such secret, or it was ended before.")
      }
      try tx.insert(event(.apiKeyRevoked, key, slot.map { "secret \($0)" }, by: administrator, visitor))
      return nil
    }
    if let refusal { throw refusal }
    here.proxyPlaces.end(.apiKey(id, slot: slot))
  }

  /// The keys of a client, or of all clients.
  public func list(of client: ClientID? = nil) async throws -> [ClientAPIKey] {
    try await here.store.read { tx in try client.map { try tx.apiKeys(of: $0) } ?? tx.apiKeys() }
  }

  /// A key with how it was used in the last `days`; what has come within the last second may be missing.
  public func show(_ id: APIKeyID, days: Int64) async throws -> (key: ClientAPIKey, uses: [APIKeyUse]) {
    let first = APIKeyUse.day(of: here.clock.now()) - days + 1
    let found = try await here.store.read { tx in try tx.apiKey(id).map { ($0, try tx.uses(of: id, from: first)) } }
    guard let found else { throw Self.unknown(id) }
    return found
  }

  private func slot(_ number: Int64, of held: HeldAPIKey, days: Int64, at now: Timestamp) -> ClientAPIKey.Slot {
    let pepper = here.purposeKeys.current(.apiKey)
    return ClientAPIKey.Slot(
      number: number, code: pepper.mac.authenticate(held.text.revealed), pepperID: pepper.id, createdAt: now,
      expiresAt: now + days * 24 * 60 * 60)
  }

  private func event(
    _ name: AuditEvent.Name, _ key: ClientAPIKey, _ part: String? = nil, by administrator: AccountID?,
    _ visitor: Visitor
  ) -> AuditEvent {
    AuditEvent(
      name, at: here.clock.now(), origin: visitor.origin, account: administrator, client: key.client,
      detail: [key.id.text, part].compactMap(\.self).joined(separator: ", "))
  }

  private static func objections(to draft: Draft) -> [(field: String, text: String)] {
    var found: [(String, String)] = []
    if !ClientAPIKey.days.contains(draft.days) { found.append(("days", wrongDays.description)) }
    return found + objections(toNetworksOf: draft.limits)
  }

  static func objections(toNetworksOf limits: APIKeyLimits) -> [(field: String, text: String)] {
    guard let wrong = limits.networks.first(where: { AddressRange($0) == nil }) else { return [] }
    return [("network", "\(wrong) is no network such as 10.20.0.0/16, or 192.0.2.7/32 for one address.")]
  }

  private static let wrongDays = Refusal(.invalidRequest, "A secret of an API key is good for 1 to 365 days.")
  private static let isRevoked = Refusal(.invalidRequest, "The key was revoked before. Make another one.")

  private static func unknown(_ id: APIKeyID) -> Refusal { Refusal(.notFound, "There is no API key called \(id).") }
}

/// What is wrong with the draft of an API key, by field.
public struct InvalidAPIKey: Error {
  public let objections: [(field: String, text: String)]
}
