import Domain
import Flows
import HTTP
import Pages
import QRCode

/// Sets up an authenticator app for the second step of the sign-in, and ends that.
struct AuthenticatorEndpoint: Sendable {
  private static let formName = "authenticator"
  private let desk: Desk
  private let app: AuthenticatorApp

  init(_ desk: Desk) {
    self.desk = desk
    app = AuthenticatorApp(desk.here)
  }

  func begin(_ call: Call) async throws -> Response {
    try desk.verify(try call.form(), call, form: SecurityEndpoint.formName)
    switch try await desk.protector(call, on: .overview) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      try await app.begin(for: person.account.id)
      return try desk.redirect(to: SecurityPage.authenticator.path)
    }
  }

  func get(_ call: Call) async throws -> Response {
    switch try await desk.protector(call, on: .authenticator) {
    case .mustSignIn(let response): return response
    case .fresh(let person): return try await page(Self.form, person, call)
    }
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.formName)
    switch try await desk.protector(call, on: .authenticator) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      switch try await app.confirm(posted["code"] ?? "", for: person.account.id, call.visitor) {
      case .none: return try desk.redirect(to: SecurityPage.overview.path)
      case .confirmed(let codes) where codes.isEmpty:
        return try desk.securityRedirect(person, "From now on the sign-in asks for a code of your app.")
      case .confirmed(let codes): return try desk.recoveryCodesRedirect(person, codes)
      case .wrong:
        var form = Self.form
        form.refuse(
          "code", "This is not the code of now. Type the one that the app shows; its clock has to be right.")
        return try await page(form, person, call, status: 422)
      }
    }
  }

  func turnOff(_ call: Call) async throws -> Response {
    try desk.verify(try call.form(), call, form: SecurityEndpoint.formName)
    switch try await desk.protector(call, on: .overview) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      try await app.turnOff(for: person.account.id, call.visitor)
      return try desk.securityRedirect(person, "Codes of the app are asked for no more. You can delete it there.")
    }
  }

  private func page(
    _ form: PageForm, _ person: SignedIn, _ call: Call, status: Status = .ok
  ) async throws -> Response {
    guard let secret = try await app.waitingSecret(of: person.account.id)?.revealedText else {
      return try desk.redirect(to: SecurityPage.overview.path)
    }
    let address = address(of: secret, person.account)
    let code = QRCode(address)
    let slots: PageContext.Object = [
      "qr": code.map { ["path": .text($0.path), "size": .number(Int64($0.pathSize))] } ?? .none,
      "secret": .text(Self.inGroups(secret)), "issuer": .text(issuer), "username": .text(person.account.username ?? ""),
    ]
    return try desk.page(
      .accountAuthenticator, form.slots.merging(person.account.slots).merging(slots), call, status: status,
      form: Self.formName)
  }

  /// What apps call the account beside its user name; short, so that it fits the picture.
  private var issuer: String { String((desk.look.organisation ?? "Gatehouse").prefix(30)) }

  /// The key in the form that apps read from the picture (Google Authenticator's key URI).
  private func address(of secret: String, _ account: Account) -> String {
    let (issuer, name) = (PercentCoding.encode(issuer), PercentCoding.encode(account.username ?? account.name))
    return "otpauth://totp/\(issuer):\(name)?secret=\(secret)&issuer=\(issuer)"
  }

  private static func inGroups(_ secret: String) -> String {
    stride(from: 0, to: secret.count, by: 4).map { String(secret.dropFirst($0).prefix(4)) }.joined(separator: " ")
  }

  private static var form: PageForm {
    var form = PageForm()
    form.fill("code")
    return form
  }
}
