import Domain
import Flows
import HTTP
import Pages
import Storage

/// The API keys of one client: makes them, shows each secret once, lets one follow the other, and ends them.
struct APIKeysEndpoint: Sendable {
  private static let purpose = "API key"
  /// How long a next secret is good, in days.
  private static let nextDays: Int64 = 90

  private let admin: AdminDesk
  private let keys: ManageAPIKeys

  init(_ admin: AdminDesk) {
    self.admin = admin
    keys = ManageAPIKeys(admin.here)
  }

  static func path(_ client: ClientID) -> String { "\(ClientListEndpoint.path)/\(client)/keys" }

  func get(_ call: AdminCall) async throws -> Response { try await page(APIKeyForm(), call) }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    var form = APIKeyForm(posted)
    guard let draft = form.draft else { return try await page(form, call, status: 422) }
    do {
      let made = try await keys.create(draft, for: try call.clientID(), by: call.id, call.visitor)
      return try show(made.text, call)
    } catch let invalid as InvalidAPIKey {
      form.refuse(invalid.objections)
      return try await page(form, call, status: 422)
    }
  }

  func next(_ call: AdminCall) async throws -> Response {
    let key = try await ownKey(call)
    do {
      return try show(
        try await keys.next(key.id, days: Self.nextDays, by: call.id, call.visitor).text, call)
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      var form = APIKeyForm()
      form.refuse([("", refusal.description)])
      return try await page(form, call, status: 422)
    }
  }

  /// Ends a key, or one of its secrets.
  func revoke(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let key = try await ownKey(call)
    try await keys.revoke(key.id, slot: posted["slot"].flatMap { Int64($0) }, by: call.id, call.visitor)
    return try admin.desk.redirect(to: Self.path(key.client))
  }

  private func show(_ text: Secret, _ call: AdminCall) throws -> Response {
    let query: QueryItems = ["ticket": admin.here.keep(text, for: call.id, Self.purpose).revealedText]
    return try admin.desk.redirect(to: query.appended(to: Self.path(try call.clientID())))
  }

  /// The key that the path names, if it is the client's.
  private func ownKey(_ call: AdminCall) async throws -> ClientAPIKey {
    guard let id = call.call.segments["key"].flatMap(APIKeyID.init) else { throw Self.unknown }
    let key = try await keys.show(id, days: 1).key
    guard key.client == (try call.clientID()) else { throw Self.unknown }
    return key
  }

  private static let unknown = Refusal(.notFound, "This client has no API key of this id.")

  private func page(_ form: APIKeyForm, _ call: AdminCall, status: Status = .ok) async throws -> Response {
    let (id, now) = (try call.clientID(), admin.here.clock.now())
    let today = APIKeyUse.day(of: now)
    let found = try await admin.here.store.read { tx in
      try tx.client(id).map { client in
        (client, try tx.apiKeys(of: id).map { ($0, try tx.uses(of: $0.id, from: today)) }, try tx.connections())
      }
    }
    guard let (client, listed, connections) = found else {
      throw Refusal(.notFound, "There is no client called \(id).")
    }
    let own = connections.filter { $0.kind.isServiceOwned && client.permission(for: $0.id) != nil }
    let new = try call.onceOnlyTicket().flatMap { admin.here.take($0, for: call.id, Self.purpose) }
    let slots: PageContext.Object = [
      "id": .text(id.text), "name": .text(client.name), "new_key": .text(ifAny: new?.revealedText),
      "keeps_secrets": .flag(client.kind == .confidential),
      "connections": .list(
        own.map { .object($0.slots.merging(["allowed": .flag(form.chosen.contains($0.id.text))])) }),
      "keys": .list(listed.map { key, uses in .object(key.slots(connections, uses.first, at: now)) }),
    ]
    return try admin.render(.adminClientKeys, form.page.slots.merging(slots), call, status: status)
  }
}

extension ClientAPIKey {
  fileprivate func slots(_ known: [Connection], _ today: APIKeyUse?, at now: Timestamp) -> PageContext.Object {
    let isOver = revokedAt != nil
    let live = slots.filter { $0.isLive(at: now) }
    return [
      "id": .text(id.text), "client": .text(client.text), "name": .text(name),
      "publishable": .flag(kind == .publishable), "ended": .flag(isOver),
      "services": .list(
        scope.connections.map { id in .text(known.first { $0.id == id }?.name ?? id.text) }),
      "resources": .list(scope.resources.map { .text($0.text) }),
      "methods": .text(ifAny: scope.methods.isEmpty ? nil : scope.methods.joined(separator: ", ")),
      "longest": .text(ifAny: scope.longestAnswer.map { "\($0)" }),
      "places": .list((limits.referrers.map(\.text) + limits.networks).map(PageContext.text)),
      "quotas": .list(
        [(limits.perMinute, "a minute"), (limits.perDay, "a day")].compactMap { count, span in
          count.map { .text("\($0) \(span)") }
        }),
      "calls": .text("\(today?.calls ?? 0)"), "refusals": .text("\(today?.refusals ?? 0)"),
      "can_follow": .flag(!isOver && live.count < 2),
      "secrets": .list(
        slots.map { slot in
          [
            "id": .text(id.text), "client": .text(client.text), "name": .text(name), "slot": .number(slot.number),
            "works": .flag(!isOver && slot.isLive(at: now)),
            "state": .choice(state(of: slot, at: now)), "ends": .time(slot.expiresAt.seconds),
            "last_use": .time(ifAny: slot.lastUsedAt?.seconds),
          ]
        }),
    ]
  }

  private func state(of slot: Slot, at now: Timestamp) -> BadgeState {
    if slot.expiresAt - now < 7 * ExpiryWarning.day { return .expiring }
    return slot.lastUsedAt == nil ? .unused : .active
  }
}
