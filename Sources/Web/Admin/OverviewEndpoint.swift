import Domain
import Flows
import HTTP
import Pages
import Storage

/// The front page of the administration: how the credentials are doing, and what happened last.
struct OverviewEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func get(_ call: AdminCall) async throws -> Response {
    let overview = try await admin.here.administrationOverview()
    let slots: PageContext.Object = [
      "now": .time(overview.at.seconds), "is_new": .flag(overview.accounts <= 1), "count": overview.counts,
      "connections": .list(
        overview.connections.map { entry in
          .object(
            entry.slots.merging([
              "healthy": .number(entry.health.healthy), "expiring": .number(entry.health.expiring),
              "broken": .number(entry.health.broken), "last_refresh": .time(ifAny: entry.health.lastRefresh?.seconds),
              "waiting": entry.waitingSlots,
            ]))
        }),
      "events": .list(overview.events.map(\.slots)),
    ]
    return try admin.render(.adminOverview, slots, call)
  }
}

extension AdministrationOverview {
  fileprivate var counts: PageContext {
    func sum(_ count: (CredentialHealth) -> Int64) -> PageContext {
      .number(connections.reduce(0) { $0 + count($1.health) })
    }
    return [
      "credentials": sum(\.total), "healthy": sum(\.healthy), "expiring": sum(\.expiring), "broken": sum(\.broken),
      "clients": .number(clients), "accounts": .number(accounts), "sessions": .number(sessions),
      "vends": .number(vends), "refused": .number(refusedVends),
    ]
  }
}

extension ConnectionEntry {
  /// `id`, `name`, `host`, `kind` and `state`.
  var slots: PageContext.Object { connection.slots.merging(["state": .choice(state)]) }

  /// A connection is as well as its best credential: the others are their owners' to mend.
  var state: BadgeState {
    if connection.isDisabled { return .disabled }
    if isDistrusted { return .broken }
    if health.total == 0 { return .unconnected }
    if health.healthy > 0 { return .healthy }
    return health.expiring > 0 ? .expiring : .broken
  }
}

extension ConnectionEntry {
  /// The slot `waiting`: what the service has not confirmed yet.
  var waitingSlots: PageContext {
    let what = connection.kind == .apiKey ? "key" : "sign-in"
    return waiting.map { ["count": .text($0.count.counted(what)), "until": .time($0.endsAt.seconds)] } ?? .none
  }
}

extension PageContext {
  static func number(_ number: Int64) -> PageContext { .text(String(number)) }
}
