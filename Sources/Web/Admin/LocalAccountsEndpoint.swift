import Domain
import Flows
import HTTP
import Pages
import Storage

/// Makes accounts with a password here, and links by which their people set it; each link is shown once.
struct LocalAccountsEndpoint: Sendable {
  private let admin: AdminDesk
  private let make: MakePasswordLink

  init(_ admin: AdminDesk) {
    self.admin = admin
    make = MakePasswordLink(admin.here)
  }

  static var emptyForm: PageForm {
    var form = PageForm()
    form.fill("username")
    form.fill("display_name")
    form.fill("email")
    return form
  }

  func create(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let (username, name) = ((posted["username"] ?? "").trimmed, (posted["display_name"] ?? "").trimmed)
    let email = (posted["email"] ?? "").trimmed
    var form = Self.emptyForm
    for (field, text) in [("username", username), ("display_name", name), ("email", email)] {
      form.fill(field, with: text)
    }
    var draft = MakePasswordLink.Draft(username: username, name: name)
    draft.email = EmailAddress(email)
    if !email.isEmpty, draft.email == nil {
      form.refuse("email", "This is no e-mail address. Type one like ana@example.org.")
      return try await AccountListEndpoint(admin).page(form, call, status: 422)
    }
    do {
      let (account, link) = try await make.createAccount(draft, call.visitor)
      return try show(link, of: account.id, call)
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      form.refuse("username", Words(refusal.description))
      return try await AccountListEndpoint(admin).page(form, call, status: 422)
    }
  }

  func post(_ call: AdminCall) async throws -> Response {
    let id = try call.accountID()
    guard id != call.id else {
      throw Refusal(.invalidRequest, "This is your own account. Change its password on your security page.")
    }
    return try show(try await make(id, call.visitor), of: id, call)
  }

  /// Shows the link that was just made; a second time it is gone.
  func get(_ call: AdminCall) async throws -> Response {
    let id = try call.accountID()
    guard let account = try await admin.here.store.read({ try $0.account(id) }), let username = account.username else {
      throw Refusal(.notFound, "There is no local account of this id.")
    }
    let link = try call.onceOnlyTicket().flatMap { admin.here.take($0, for: call.id, Self.purpose(id)) }
    return try admin.render(
      .adminPasswordLink,
      [
        "id": .text(id.text), "name": .text(account.name), "username": .text(username),
        "link": .text(ifAny: link?.revealedText), "hours": .number(PasswordLink.lifetime / 3600),
      ], call)
  }

  private func show(_ link: Secret, of id: AccountID, _ call: AdminCall) throws -> Response {
    let ticket = admin.here.keep(link, for: call.id, Self.purpose(id))
    let query: QueryItems = ["ticket": ticket.revealedText]
    return try admin.desk.redirect(to: query.appended(to: "/admin/accounts/\(id)/password"))
  }

  private static func purpose(_ id: AccountID) -> String { "password link \(id)" }
}
