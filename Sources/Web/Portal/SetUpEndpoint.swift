import Domain
import Flows
import HTTP
import Pages

/// The first run: makes the administrator, by the one-time link that the program showed.
struct SetUpEndpoint: Sendable {
  private let desk: Desk
  private let setUp: SetUp

  init(_ desk: Desk) {
    self.desk = desk
    setUp = SetUp(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    if try await setUp.isDone() { return try desk.redirect(to: "/") }
    guard let link = try call.query().nonEmpty("ticket"), try await setUp.isOpen(link) else {
      return try desk.page(Self.closedLink, call)
    }
    return try page(Self.form(), link, call)
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    let link = posted["ticket"] ?? ""
    try desk.verify(posted, call, form: "setup \(link)")
    let draft = SetUp.Draft(
      username: posted["username"] ?? "", name: posted["display_name"] ?? "",
      password: Secret(posted["password"] ?? ""))
    var form = Self.form(username: posted["username"] ?? "", name: posted["display_name"] ?? "")
    for objection in draft.objections { form.refuse(objection.field, Words(objection.text)) }
    if posted["password"] != posted["password_again"] {
      form.refuse("password_again", "The two passwords differ. Type both again.")
    }
    if form.isRefused { return try page(form, link, call, status: 422) }
    do {
      let session = try await setUp.createAdministrator(draft, link: link, desk.arriving(call))
      var response = try desk.redirect(to: "/admin")
      try desk.begin(session, &response)
      return response
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      form.refuse("username", Words(refusal.description))
      return try page(form, link, call, status: 422)
    } catch let refusal as Refusal where refusal.code == .notFound {
      return try desk.page(Self.closedLink, call)
    }
  }

  private func page(_ form: PageForm, _ link: String, _ call: Call, status: Status = .ok) throws -> Response {
    try desk.page(
      .setup, form.slots.merging(["ticket": .text(link)]), call, status: status, form: "setup \(link)")
  }

  private static func form(username: String = "", name: String = "") -> PageForm {
    var form = PageForm()
    form.fill("username", with: username)
    form.fill("display_name", with: name)
    form.fill("password")
    form.fill("password_again")
    return form
  }

  private static let closedLink = Message(
    title: "This setup link does not work", text: "It was used already, has expired, or was not copied whole.",
    advice: "A setup link works once and for 30 minutes. Restart Gatehouse for a new one.", status: .notFound)
}
