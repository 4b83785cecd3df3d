import Domain
import Flows
import HTTP
import Pages

/// Another password for a local account; whoever asks for it has to know the present one.
struct PasswordEndpoint: Sendable {
  private static let formName = "password"
  private let desk: Desk
  private let change: ChangePassword

  init(_ desk: Desk) {
    self.desk = desk
    change = ChangePassword(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .security(.password)) }
    // Whoever has no password finds out on the overview.
    guard try await desk.here.securityOverview(of: person.account.id).passwordChangedAt != nil else {
      return try desk.redirect(to: SecurityPage.overview.path)
    }
    return try page(Self.form, endsOthers: true, person, call)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.formName)
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .security(.password)) }
    let endsOthers = posted["end_others"] == "1"
    let draft = ChangePassword.Draft(
      present: Secret(posted["present_password"] ?? ""), new: Secret(posted["password"] ?? ""),
      onlyKeeping: endsOthers ? try await desk.sessionsHere(call) : nil)
    var form = Self.form
    if let objection = draft.objection(for: person.account) { form.refuse("password", Words(objection)) }
    if posted["password"] != posted["password_again"] {
      form.refuse("password_again", "The two passwords differ. Type both again.")
    }
    if form.isRefused { return try page(form, endsOthers: endsOthers, person, call, status: 422) }
    switch try await change(draft, of: person.account, call.visitor) {
    case .changed(let ended, let device):
      var response = try desk.securityRedirect(
        person,
        ended == 0 ? "Your password is changed." : "Your password is changed. The other browsers are signed out.")
      response.headers.add(
        try desk.cookies.setting(.device, to: device, maxAge: SignInEndpoint.deviceLifetime))
      return response
    case .wrong:
      form.refuse("present_password", "This is not your present password. Type it again.")
      return try page(form, endsOthers: endsOthers, person, call, status: 422)
    case .wait(let seconds):
      form.refuse("", "Too many wrong passwords. Try again in \(SignInEndpoint.words(for: seconds)).")
      var response = try page(form, endsOthers: endsOthers, person, call, status: 429)
      response.headers.set("retry-after", FieldValue(seconds))
      return response
    }
  }

  private func page(
    _ form: PageForm, endsOthers: Bool, _ person: SignedIn, _ call: Call, status: Status = .ok
  ) throws -> Response {
    let slots: PageContext.Object = [
      "username": .text(person.account.username ?? ""), "end_others": .flag(endsOthers),
    ]
    return try desk.page(
      .accountPassword, form.slots.merging(person.account.slots).merging(slots), call, status: status,
      form: Self.formName)
  }

  private static var form: PageForm {
    var form = PageForm()
    for field in ["present_password", "password", "password_again"] { form.fill(field) }
    return form
  }
}
