import Domain
import Flows
import HTTP
import Pages

/// The codes on paper that stand in for the second factor: shown once, and made anew.
struct RecoveryCodesEndpoint: Sendable {
  private let desk: Desk
  private let codes: RecoveryCodes

  init(_ desk: Desk) {
    self.desk = desk
    codes = RecoveryCodes(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .security(.overview)) }
    // A HEAD would use it up and show nothing.
    let ticket = call.request.method == .head ? nil : try call.query()["ticket"]
    let shown = ticket.flatMap { desk.here.take($0, for: person.account.id, Desk.recoveryCodes)?.revealedText }
    let slots: PageContext.Object = [
      "codes": .list((shown ?? "").split(separator: " ").map { ["code": .text(String($0))] }),
      "username": .text(person.account.username ?? ""),
    ]
    return try desk.page(.accountRecoveryCodes, person.account.slots.merging(slots), call)
  }

  func post(_ call: Call) async throws -> Response {
    try desk.verify(try call.form(), call, form: SecurityEndpoint.formName)
    switch try await desk.protector(call, on: .overview) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      return try desk.recoveryCodesRedirect(person, try await codes.make(for: person.account.id, call.visitor))
    }
  }
}

extension Desk {
  fileprivate static let recoveryCodes = "recovery codes"

  /// Sends the browser to the one page that shows new codes, so that reloading it makes no others.
  func recoveryCodesRedirect(_ person: SignedIn, _ codes: [RecoveryCode]) throws -> Response {
    let text = codes.map(\.text).joined(separator: " ")
    let query: QueryItems = [
      "ticket": here.keep(Secret(text), for: person.account.id, Self.recoveryCodes).revealedText
    ]
    return try redirect(to: query.appended(to: SecurityPage.recoveryCodes.path))
  }
}
