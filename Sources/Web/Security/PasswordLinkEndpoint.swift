import Domain
import Flows
import HTTP
import Pages

/// Where the link of an administrator leads: somebody sets the password of their local account.
struct PasswordLinkEndpoint: Sendable {
  static let path = "/password"
  private let desk: Desk
  private let set: SetPasswordByLink

  init(_ desk: Desk) {
    self.desk = desk
    set = SetPasswordByLink(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    guard let link = try call.query().nonEmpty("ticket"), let account = try await set.account(link) else {
      return try desk.page(Self.closed, call)
    }
    return try page(Self.form, account, link, call)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    let link = posted["ticket"] ?? ""
    try desk.verify(posted, call, form: Self.formName(link))
    guard let account = try await set.account(link) else { return try desk.page(Self.closed, call) }
    let password = Secret(posted["password"] ?? "")
    var form = Self.form
    if let objection = set.objection(to: password, for: account) { form.refuse("password", Words(objection)) }
    if posted["password"] != posted["password_again"] {
      form.refuse("password_again", "The two passwords differ. Type both again.")
    }
    if form.isRefused { return try page(form, account, link, call, status: 422) }
    guard try await set(link, password, call.visitor) else { return try desk.page(Self.closed, call) }
    return try desk.redirect(to: "/signin")
  }

  private func page(
    _ form: PageForm, _ account: Account, _ link: String, _ call: Call, status: Status = .ok
  ) throws -> Response {
    let slots: PageContext.Object = ["ticket": .text(link), "username": .text(account.username ?? "")]
    return try desk.page(.passwordLink, form.slots.merging(slots), call, status: status, form: Self.formName(link))
  }

  private static func formName(_ link: String) -> String { "password link \(link)" }

  private static var form: PageForm {
    var form = PageForm()
    form.fill("password")
    form.fill("password_again")
    return form
  }

  private static let closed = Message(
    title: "This link does not work", text: "It was used already, has expired, or was not copied whole.",
    advice:
      "A link works once, and not for long. Ask for another one where you got this one: an administrator, or the sign-in page.",
    status: .notFound)
}
