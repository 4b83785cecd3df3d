import Domain
import Flows
import HTTP
import Pages

/// The account page: what is connected and in which state, which apps used it, what else could be connected.
struct AccountEndpoint: Sendable {
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  func get(_ call: Call) async throws -> Response {
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let overview = try await desk.here.overview(of: person.account.id)
    let query = try call.query()
    let now = desk.here.clock.now()
    // The address says what was just done, but only what is true is shown.
    let connected = overview.services.first { $0.connection.id.text == query["connected"] }?.connection
    let disconnected = overview.available.first { $0.id.text == query["disconnected"] }
    let news = try await desk.here.unreadNotices(of: person.account.id)
    let slots: PageContext.Object = [
      "notices": .list(news.shown.map { $0.slots(under: desk.external.basePath) }),
      "more_notices": .flag(news.total > news.shown.count),
      "connected_name": .text(ifAny: connected?.name), "disconnected_name": .text(ifAny: disconnected?.name),
      "services": .list(overview.services.map { .object($0.slots(at: now)) }),
      "available": .list(overview.available.map { .object($0.slots) }),
      "uses": .list(overview.uses.map(\.slots)),
    ]
    return try desk.page(.account, person.account.slots.merging(slots), call, form: NoticesEndpoint.formName)
  }
}

extension AccountOverview.Service {
  fileprivate func slots(at now: Timestamp) -> PageContext.Object {
    let (state, reason) = state(at: now)
    return connection.slots.merging([
      "signed_in_as": .text(credential.identity.displayName), "state": .choice(state),
      "certificate": certificate?.slots ?? .none,
      "reason": .words(ifAny: reason), "renews": .flag(credential.canRefresh), "endless": .flag(isEndless),
      "expires": .time(ifAny: credential.endsAt?.seconds),
      "kept_until": .time(ifAny: keptUntil?.seconds), "kept_here": .flag(credential.session != nil),
      "last_use": .time(ifAny: credential.lastUsedAt?.seconds), "used_by": .text(ifAny: lastClient),
    ])
  }

  /// Whether its token works until somebody cancels it, so that there is nothing to renew.
  private var isEndless: Bool { !credential.canRefresh && credential.accessExpiresAt.isNever }

  /// The day until which the person wants it, when that comes first.
  private var keptUntil: Timestamp? {
    credential.keptUntil.flatMap { kept in credential.endsAt.map { $0 <= kept } ?? false ? nil : kept }
  }

  private func state(at now: Timestamp) -> (BadgeState, reason: Words?) {
    if connection.isDisabled { return (.disabled, "An administrator has switched this service off.") }
    if credential.state != .active { return (.broken, "\(connection.host) no longer accepts the stored sign-in.") }
    if isDistrusted {
      return (
        .broken,
        "\(connection.host) shows another key than the one that an administrator approved, or the approval has ended: "
          + "nothing is sent to it. Tell an administrator."
      )
    }
    guard let end = credential.endsAt else { return (.healthy, nil) }
    if end <= now { return (.broken, "The sign-in has run out and cannot be renewed without you.") }
    guard credential.isEnding(at: now, of: connection.kind) else { return (.healthy, nil) }
    let days = (end - now) / (24 * 60 * 60)
    let left = days > 0 ? Words.counting(days, "day") : "less than a day"
    return (.expiring, "It ends in \(left). Connect it again before, so that no app has to wait for you.")
  }
}

extension CertificateDescription {
  /// As pages show a certificate.
  var slots: PageContext {
    [
      "subject": .text(subject), "issuer": .text(issuer), "fingerprint": .text(fingerprint),
      "public_key": .text(publicKeyFingerprint), "from": .time(validFrom.seconds), "until": .time(validUntil.seconds),
    ]
  }
}

extension AccountOverview.Use {
  fileprivate var slots: PageContext {
    [
      "client": .text(client), "client_id": .text(ifAny: clientID?.text), "service": .text(service),
      "proxied": .flag(isProxied), "unattended": .flag(isUnattended),
      "lifetime": .words(ifAny: seconds.map { .counting(max(($0 + 30) / 60, 1), "minute") }), "time": .time(at.seconds),
    ]
  }
}
