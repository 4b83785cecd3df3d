import Domain
import Flows
import HTTP
import Pages

/// What one app took of the person's services.
struct AppLedgerEndpoint: Sendable {
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  func get(_ call: Call) async throws -> Response {
    let id = try call.clientID()
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let (app, isAllowed, page) = try await desk.here.ledger(
      of: id, for: person.account.id, after: try call.query()["after"])
    let slots: PageContext.Object = [
      "id": .text(id.text), "app_name": .text(app), "allowed": .flag(isAllowed),
      "uses": .list(page.entries.map(\.personalSlots)),
      "pager": page.pager(at: "\(desk.external.basePath)/account/apps/\(id)/ledger"),
    ]
    return try desk.page(.accountLedger, person.account.slots.merging(slots), call)
  }
}

extension LedgerPage {
  /// The links to further pages of the ledger at `path`, which keep the fields of `query`; none when it fits on one.
  func pager(at path: String, _ query: QueryItems = [:]) -> PageContext {
    guard skipped > 0 || next != nil else { return .none }
    let last = skipped + Int64(entries.count)
    let shown: Words = entries.isEmpty ? "None in this part of the log" : "\(skipped + 1) to \(last)"
    func link(_ cursor: String?) -> PageContext {
      var query = query
      query.append("after", cursor)
      return .url(query.appended(to: path))
    }
    return [
      "shown": .words(shown), "first": skipped > 0 ? link(nil) : .none, "next": next.map(link) ?? .none,
    ]
  }
}

extension LedgerEntry {
  fileprivate var personalSlots: PageContext {
    [
      "time": .time(event.at.seconds, exact: true), "resource": .text(event.resource ?? ""),
      "service": .text(ifAny: entry.connection), "refused": .flag(event.outcome == .failure),
      "job": .text(ifAny: detail.job), "reason": .words(detail.words), "proxied": .flag(detail.method != nil),
      "lifetime": .words(ifAny: detail.seconds.map { .counting(max(($0 + 30) / 60, 1), "minute") }),
    ]
  }
}

extension VendDetail {
  /// Why the app got nothing, in words for the person.
  fileprivate var words: Words {
    switch refusal {
    case .invalidRequest where job != nil: "You had not allowed it to use the service while you are not here."
    case .interactionRequired where reason == Refusal.InteractionReason.reauthRequired.rawValue:
      "You had to sign in to the service again."
    case .interactionRequired: "You had not connected the service, or not allowed the app to use it."
    case .accessDenied: "You did not want it."
    case .invalidTarget: "The app may use nothing that covers this address."
    case .temporarilyUnavailable, .upstreamError: "The service gave nothing."
    case .slowDown: "It asked too often."
    case .none where method != nil: "You wanted to go on without signing in, so the request went out without."
    default: "It was refused."
    }
  }
}
