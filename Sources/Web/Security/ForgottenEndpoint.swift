import Domain
import Flows
import HTTP
import Pages

/// Where somebody who has forgotten their password asks for a link by mail.
struct ForgottenEndpoint: Sendable {
  static let path = "/forgotten"
  private static let formName = "forgotten"
  private let desk: Desk
  private let ask: AskForPasswordLink

  init(_ desk: Desk) {
    self.desk = desk
    ask = AskForPasswordLink(desk.here)
  }

  func get(_ call: Call) throws -> Response {
    guard desk.here.canMail else { return try desk.redirect(to: "/signin") }
    return try page(Self.form, call)
  }

  func post(_ call: Call) throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.formName)
    guard desk.here.canMail else { return try desk.redirect(to: "/signin") }
    switch ask((posted["username"] ?? "").trimmed, call.visitor) {
    case .taken: return try desk.page(Self.taken, call)
    case .wait(let seconds):
      var form = Self.form
      form.refuse("", "Too many links were asked for. Try again in \(SignInEndpoint.words(for: seconds)).")
      var response = try page(form, call, status: 429)
      response.headers.set("retry-after", FieldValue(seconds))
      return response
    }
  }

  private func page(_ form: PageForm, _ call: Call, status: Status = .ok) throws -> Response {
    try desk.page(.forgotten, form.slots, call, status: status, form: Self.formName)
  }

  private static var form: PageForm {
    var form = PageForm()
    form.fill("username")
    return form
  }

  private static let taken = Message(
    title: "Look at your mail",
    text:
      "If there is an account of this name with a password here and an e-mail address, a link is on its way. It works "
      + "once, for an hour.",
    advice: "Does nothing come? Ask an administrator for a link.", status: .ok)
}
