import Domain
import Flows
import HTTP
import Pages

/// What protects an account, and the browsers that are signed in to it.
struct SecurityEndpoint: Sendable {
  static let formName = "security"
  private let desk: Desk
  private let end: EndSessions

  init(_ desk: Desk) {
    self.desk = desk
    end = EndSessions(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .security(.overview)) }
    let overview = try await desk.here.securityOverview(of: person.account.id)
    let here = try await desk.sessionsHere(call)
    let email = try await ChangeEmail(desk.here).standing(of: person.account.id)
    let sessions = overview.sessions.map { $0.slots(isHere: here.contains($0.hash)) }
    let slots: PageContext.Object = [
      "done": .words(ifAny: try desk.securityNotice(person, call).map { Words($0) }),
      "mails": .flag(desk.here.canMail), "email": .text(ifAny: email.address?.text),
      "waiting_email": .text(ifAny: email.waiting?.text),
      "passkeys": .list(overview.passkeys.map(\.slots)),
      "can_add": .flag(desk.here.relyingParty != nil && overview.passkeys.count < Passkey.maximumCount),
      "app_since": .time(ifAny: overview.factors.appSince?.seconds), "factors": .flag(overview.factors.areOn),
      "recovery_codes": .number(overview.factors.recoveryCodes),
      "few_codes": .flag(overview.factors.recoveryCodes < 4),
      "password_changed": .time(ifAny: overview.passwordChangedAt?.seconds), "sessions": .list(sessions),
      "others": .flag(overview.sessions.contains { !here.contains($0.hash) }),
    ]
    return try desk.page(.accountSecurity, person.account.slots.merging(slots), call, form: Self.formName)
  }

  func endOthers(_ call: Call) async throws -> Response {
    try await endSessions(
      .allBut(try await desk.sessionsHere(call)), "The other browsers are signed out.", call)
  }

  func endOne(_ call: Call) async throws -> Response {
    try await endSessions(.one(call.segments["session"] ?? ""), "That browser is signed out.", call)
  }

  private func endSessions(_ choice: EndSessions.Choice, _ done: String, _ call: Call) async throws -> Response {
    try desk.verify(try call.form(), call, form: Self.formName)
    switch try await desk.protector(call, on: .overview) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      let count = try await end(choice, of: person.account.id, call.visitor)
      return try desk.securityRedirect(person, count == 0 ? "No other browser was signed in." : done)
    }
  }
}

extension Passkey {
  fileprivate var slots: PageContext {
    [
      "id": .text(id.text), "name": .text(name), "copied": .flag(isCopied), "since": .time(createdAt.seconds),
      "last_use": .time(ifAny: lastUsedAt?.seconds),
    ]
  }
}

extension BrowserSession {
  fileprivate func slots(isHere: Bool) -> PageContext {
    [
      "id": .text(publicID), "browser": .words(BrowserName(userAgent).words), "address": .text(ifAny: address),
      "administration": .flag(kind == .administrator), "here": .flag(isHere), "since": .time(authenticatedAt.seconds),
      "seen": .time(lastSeenAt.seconds),
    ]
  }
}
