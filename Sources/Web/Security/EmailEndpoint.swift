import Domain
import Flows
import HTTP
import Pages

/// The address at which somebody wants to be told of their account.
struct EmailEndpoint: Sendable {
  private static let formName = "email"
  private let desk: Desk
  private let change: ChangeEmail

  init(_ desk: Desk) {
    self.desk = desk
    change = ChangeEmail(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    guard desk.here.canMail else { return try desk.redirect(to: SecurityPage.overview.path) }
    switch try await desk.protector(call, on: .email) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      let address = try await change.standing(of: person.account.id).address
      return try page(Self.form(address?.text ?? ""), isSet: address != nil, person, call)
    }
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.formName)
    guard desk.here.canMail else { return try desk.redirect(to: SecurityPage.overview.path) }
    switch try await desk.protector(call, on: .email) {
    case .mustSignIn(let response): return response
    case .fresh(let person):
      if posted["remove"] == "1" {
        try await change.set(nil, of: person.account.id, call.visitor)
        return try desk.securityRedirect(person, "Notices are not sent by mail any more.")
      }
      return try await ask((posted["email"] ?? "").trimmed, person, call)
    }
  }

  private func ask(_ typed: String, _ person: SignedIn, _ call: Call) async throws -> Response {
    let isSet = try await change.standing(of: person.account.id).address != nil
    var form = Self.form(typed)
    guard let address = EmailAddress(typed) else {
      form.refuse("email", "This is no e-mail address. Type one like ana@example.org.")
      return try page(form, isSet: isSet, person, call, status: 422)
    }
    do {
      try await change.ask(address, for: person.account.id, call.visitor)
    } catch let refusal as Refusal where refusal.code == .slowDown {
      form.refuse("", "Too many links were sent. Try again in an hour.")
      return try page(form, isSet: isSet, person, call, status: 429)
    }
    return try desk.securityRedirect(
      person, "A link was sent to the address. Open it within an hour, and notices are sent there.")
  }

  private func page(
    _ form: PageForm, isSet: Bool, _ person: SignedIn, _ call: Call, status: Status = .ok
  ) throws -> Response {
    try desk.page(
      .accountEmail, form.slots.merging(person.account.slots).merging(["is_set": .flag(isSet)]), call, status: status,
      form: Self.formName)
  }

  private static func form(_ address: String) -> PageForm {
    var form = PageForm()
    form.fill("email", with: address)
    return form
  }
}

/// Where the link leads that is sent to a new address: whoever reads mail there agrees.
struct EmailLinkEndpoint: Sendable {
  static let path = "/email"
  private let desk: Desk
  private let change: ChangeEmail

  init(_ desk: Desk) {
    self.desk = desk
    change = ChangeEmail(desk.here)
  }

  /// Looking changes nothing: mail programs open links, too.
  func get(_ call: Call) async throws -> Response {
    guard let link = try call.query().nonEmpty("ticket"), let (wanted, account) = try await change.change(link) else {
      return try desk.page(Self.closed, call)
    }
    let slots: PageContext.Object = [
      "ticket": .text(link), "address": .text(wanted.address.text), "name": .text(account.name),
    ]
    return try desk.page(.emailLink, slots, call, form: Self.formName(link))
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    let link = posted["ticket"] ?? ""
    try desk.verify(posted, call, form: Self.formName(link))
    guard try await change.confirm(link, call.visitor) else { return try desk.page(Self.closed, call) }
    return try desk.redirect(to: SecurityPage.overview.path)
  }

  private static func formName(_ link: String) -> String { "email link \(link)" }

  private static let closed = Message(
    title: "This link does not work", text: "It was used already, has expired, or was not copied whole.",
    advice: "Ask for a new one under Security. A link works once, for an hour.", status: .notFound)
}
