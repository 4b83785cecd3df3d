import Domain
import Flows
import HTTP
import Pages

/// Makes and ends the app passwords of a person; the page of their apps shows them.
struct AppPasswordsEndpoint: Sendable {
  static let form = "app passwords"
  private let desk: Desk
  private let passwords: ManageAppPasswords

  init(_ desk: Desk) {
    self.desk = desk
    passwords = ManageAppPasswords(desk.here)
  }

  /// The field of the form, empty.
  static var emptyForm: PageForm {
    var form = PageForm()
    form.fill("place")
    return form
  }

  func post(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.form)
    switch try await desk.protector(call, on: .apps) {
    case .mustSignIn(let response): return response
    case .fresh(let person): return try await make(posted, person, call)
    }
  }

  private func make(_ posted: Form, _ person: SignedIn, _ call: Call) async throws -> Response {
    do {
      let words = (posted["place"] ?? "").split(separator: " ").map(String.init)
      guard words.count == 2, let client = ClientID(words[0]), let connection = ConnectionID(words[1]) else {
        throw Refusal(.invalidRequest, "Choose one of the list.")
      }
      let made = try await passwords.make(client, at: connection, by: person.account.id, call.visitor)
      let ticket = desk.here.keep(made.text, for: person.account.id, Self.purpose(connection))
      let query: QueryItems = ["ticket": ticket.revealedText, "for": connection.text]
      return try desk.redirect(to: query.appended(to: AllowedAppsEndpoint.path))
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      var form = Self.emptyForm
      form.refuse("place", Words(refusal.description))
      return try await AllowedAppsEndpoint(desk).page(form, person, call, status: 422)
    }
  }

  func end(_ call: Call) async throws -> Response {
    let posted = try call.form()
    try desk.verify(posted, call, form: Self.form)
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    guard let id = call.segments["password"].flatMap(AppPasswordID.init) else {
      throw Refusal(.notFound, "You have no app password of this id.")
    }
    let name = try await passwords.list(of: person.account.id).entries.first { $0.password.id == id }?.place.client.name
    _ = try await passwords.end(id, by: person.account.id, call.visitor)
    var query = QueryItems()
    query.append("ended", desk.here.signed(name ?? "", for: AllowedAppsEndpoint.notice("ended", person)))
    return try desk.redirect(to: query.appended(to: AllowedAppsEndpoint.path))
  }

  /// What the page of the apps shows of them.
  func slots(_ person: SignedIn, _ call: Call) async throws -> PageContext.Object {
    let (entries, places) = try await passwords.list(of: person.account.id)
    return [
      "has_app_passwords": .flag(!entries.isEmpty || !places.isEmpty),
      "new_app_password": try await new(person, call), "fresh": .flag(try await desk.here.isFresh(person)),
      "app_passwords": .list(entries.map(\.slots)),
      "places": .list(
        places.map { place in
          [
            "value": .text("\(place.client.id) \(place.connection.id)"), "app": .text(place.client.name),
            "service": .text(place.connection.name), "nameless": .flag(place.isForNamelessApps),
            "chosen": .flag(place.isForNamelessApps),
          ]
        }),
    ]
  }

  /// What was just made; a HEAD would use up the ticket and show nothing.
  private func new(_ person: SignedIn, _ call: Call) async throws -> PageContext {
    let query = try call.query()
    guard call.request.method == .get, let ticket = query["ticket"], let id = query["for"].flatMap(ConnectionID.init),
      let password = desk.here.take(ticket, for: person.account.id, Self.purpose(id)),
      let face = try await desk.here.arcGISFace(id)
    else { return .none }
    let username = try await desk.here.portalUsername(of: person.account.id, at: face)
    return [
      "password": .text(password.revealedText), "portal": .text(face.root), "username": .text(ifAny: username),
    ]
  }

  private static func purpose(_ connection: ConnectionID) -> String { "app password \(connection)" }
}

extension ManageAppPasswords.Entry {
  fileprivate var slots: PageContext {
    [
      "id": .text(password.id.text), "app": .text(place.client.name), "service": .text(place.connection.name),
      "taken": .flag(isTaken), "made": .time(password.createdAt.seconds),
      "last_use": .time(ifAny: password.lastUsedAt?.seconds),
    ]
  }
}
