import Domain
import Flows
import HTTP
import Pages

/// Adds passkeys to an account, and removes them.
struct PasskeysEndpoint: Sendable {
  static let path = SecurityPage.newPasskey.path
  private static let formName = "passkey"
  private let desk: Desk
  private let manage: ManagePasskeys

  init(_ desk: Desk) {
    self.desk = desk
    manage = ManagePasskeys(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    switch try await desk.protector(call, on: .newPasskey) {
    case .mustSignIn(let response): return response
    case .fresh(let person): return try await page(Self.form(), person, call)
    }
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.formName)
    switch try await desk.protector(call, on: .newPasskey) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      let name = (posted["name"] ?? "").trimmed
      var form = Self.form(name)
      let draft = ManagePasskeys.Draft(
        name: name, clientData: posted["client_data"] ?? "", attestation: posted["attestation"] ?? "")
      guard let draft else {
        form.refuse("name", "Your browser sent no passkey. Allow scripts here, and try again.")
        return try await page(form, person, call, status: 422)
      }
      switch try await manage.add(draft, to: person.account.id, call.visitor) {
      case .refused:
        form.refuse("name", "The passkey could not be checked, or came too late. Try again.")
        return try await page(form, person, call, status: 422)
      case .added(let codes) where codes.isEmpty:
        return try desk.securityRedirect(person, "The passkey signs you in from now on.")
      case .added(let codes): return try desk.recoveryCodesRedirect(person, codes)
      }
    }
  }

  func remove(_ call: Call) async throws -> Response {
    try desk.verify(try call.form(), call, form: SecurityEndpoint.formName)
    guard let id = call.segments["passkey"].flatMap(PasskeyID.init) else {
      throw Refusal(.notFound, "Your account has no such passkey.")
    }
    switch try await desk.protector(call, on: .overview) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      try await manage.remove(id, of: person.account.id, call.visitor)
      return try desk.securityRedirect(person, "The passkey signs in no more. You can delete it on your device, too.")
    }
  }

  private func page(
    _ form: PageForm, _ person: SignedIn, _ call: Call, status: Status = .ok
  ) async throws -> Response {
    guard let options = try await manage.options(for: person.account.id) else {
      return try desk.redirect(to: SecurityPage.overview.path)
    }
    let slots: PageContext.Object = [
      "challenge": .text(options.challenge), "relying_party": .text(options.relyingParty),
      "user": .text(options.userHandle), "username": .text(person.account.username ?? person.account.name),
      "algorithms": .text(options.algorithms), "known": .text(options.known.joined(separator: " ")),
    ]
    return try desk.page(
      .accountPasskeyNew, form.slots.merging(person.account.slots).merging(slots), call, status: status,
      form: Self.formName)
  }

  private static func form(_ name: String = "") -> PageForm {
    var form = PageForm()
    form.fill("name", with: name)
    return form
  }
}
