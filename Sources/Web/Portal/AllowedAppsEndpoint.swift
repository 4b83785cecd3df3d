import Domain
import Flows
import HTTP
import Pages

/// The apps that a person allowed to act for them, the passwords that they made for some, and the way to take that back.
struct AllowedAppsEndpoint: Sendable {
  static let path = "/account/apps"
  private let desk: Desk
  private let withdraw: WithdrawConsent

  init(_ desk: Desk) {
    self.desk = desk
    withdraw = WithdrawConsent(desk.here)
  }

  func list(_ call: Call) async throws -> Response {
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    return try await page(AppPasswordsEndpoint.emptyForm, person, call)
  }

  func page(_ form: PageForm, _ person: SignedIn, _ call: Call, status: Status = .ok) async throws -> Response {
    let apps = try await desk.here.allowedApps(of: person.account.id)
    let query = try call.query()
    func done(_ name: String) -> PageContext {
      .text(ifAny: query[name].flatMap { desk.here.signedText($0, for: Self.notice(name, person)) })
    }
    let slots: PageContext.Object = [
      "withdrawn_name": done("withdrawn"), "unattended_name": done("stopped"), "ended_name": done("ended"),
      "apps": .list(apps.map { .object($0.slots) }),
    ]
    let passwords = try await AppPasswordsEndpoint(desk).slots(person, call)
    return try desk.page(
      .accountApps, person.account.slots.merging(slots).merging(passwords).merging(form.slots), call, status: status,
      form: AppPasswordsEndpoint.form)
  }

  /// Asks before anything ends.
  func get(_ call: Call) async throws -> Response {
    let id = try call.clientID()
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let app = try await app(id, person)
    return try desk.page(.withdrawConsent, app.slots, call, form: Self.form(id))
  }

  func post(_ call: Call) async throws -> Response {
    let id = try call.clientID()
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.form(id))
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let app = try await app(id, person)
    let isUnattendedAlone = posted["only"] == "unattended"
    let isTakenBack =
      isUnattendedAlone
      ? try await withdraw.unattended(id, by: person.account.id, call.visitor)
      : try await withdraw(id, by: person.account.id, call.visitor)
    guard isTakenBack else { throw Self.nothing }
    let name = isUnattendedAlone ? "stopped" : "withdrawn"
    var query = QueryItems()
    query.append(name, desk.here.signed(app.client.name, for: Self.notice(name, person)))
    return try desk.redirect(to: query.appended(to: Self.path))
  }

  private func app(_ id: ClientID, _ person: SignedIn) async throws -> AllowedApp {
    guard let app = try await desk.here.allowedApp(id, of: person.account.id) else { throw Self.nothing }
    return app
  }

  private static func form(_ id: ClientID) -> String { "withdraw \(id)" }

  static func notice(_ name: String, _ person: SignedIn) -> String { "\(name) \(person.account.id)" }

  private static let nothing = Refusal(.notFound, "You allow no app of this id anything.")
}

extension AllowedApp {
  fileprivate var slots: PageContext.Object {
    consent.scope.slots(hasUnattendedUse: services.contains(where: \.isUnattended)).merging([
      "id": .text(client.id.text), "name": .text(client.name), "disabled": .flag(client.isDisabled),
      "services": .list(
        services.map {
          .object(
            $0.connection.slots.merging([
              "raw_token": .flag($0.handsOutRawTokens), "unattended": .flag($0.isUnattended),
            ]))
        }), "unattended": .flag(services.contains(where: \.isUnattended)),
      "got_tokens": .flag(services.contains(where: \.handsOutRawTokens)), "given": .time(consent.givenAt.seconds),
      "last_use": .time(ifAny: lastUse?.seconds),
    ])
  }
}
