import Domain
import Flows
import HTTP
import Pages
import Storage

/// The app passwords of a person, or at a connection, each of which an administrator can end.
struct AppPasswordListEndpoint: Sendable {
  private let admin: AdminDesk
  private let inspect: InspectAppPasswords

  init(_ admin: AdminDesk) {
    self.admin = admin
    inspect = InspectAppPasswords(admin.here)
  }

  func ofAccount(_ call: AdminCall) async throws -> Response {
    let id = try call.accountID()
    guard let account = try await admin.here.store.read({ try $0.account(id) }) else {
      throw Refusal(.notFound, "There is no account of this id.")
    }
    return try await page(
      .account(id), ["person": ["id": .text(id.text), "name": .text(account.name)], "place": .none], call)
  }

  func atConnection(_ call: AdminCall) async throws -> Response {
    let (entry, _, _) = try await admin.here.connectionEntry(try call.call.connectionID())
    let connection = entry.connection
    return try await page(
      .connection(connection.id),
      ["person": .none, "place": ["id": .text(connection.id.text), "name": .text(connection.name)]], call)
  }

  func endOfAccount(_ call: AdminCall) async throws -> Response { try await end(.account(try call.accountID()), call) }

  func endAtConnection(_ call: AdminCall) async throws -> Response {
    try await end(.connection(try call.call.connectionID()), call)
  }

  private func end(_ place: InspectAppPasswords.Place, _ call: AdminCall) async throws -> Response {
    guard let id = call.call.segments["password"].flatMap(AppPasswordID.init) else {
      throw Refusal(.notFound, "There is no app password of this id here.")
    }
    try await inspect.end(id, at: place, call.visitor)
    return try admin.redirect(to: place.path, .deleted, id.text)
  }

  private func page(
    _ place: InspectAppPasswords.Place, _ slots: PageContext.Object, _ call: AdminCall
  ) async throws -> Response {
    let list = try await inspect(at: place, after: call.call.query()["after"])
    let path = place.path
    return try admin.render(
      .adminAppPasswords,
      slots.merging([
        "ended": .flag(try admin.text(of: .deleted, at: path, call) != nil),
        "app_passwords": .list(list.entries.map(\.slots)), "pager": admin.pager(of: list, at: path),
      ]), call)
  }
}

extension InspectAppPasswords.Place {
  fileprivate var path: String {
    switch self {
    case .account(let id): "/admin/accounts/\(id)/app-passwords"
    case .connection(let id): "\(ConnectionEndpoint.path(id))/app-passwords"
    }
  }
}

extension InspectAppPasswords.Entry {
  fileprivate var slots: PageContext {
    [
      "id": .text(password.id.text), "owner": .text(owner.name), "app": .text(client.name),
      "client_id": .text(client.id.text), "service": .text(connection.name), "taken": .flag(isTaken),
      "made": .time(password.createdAt.seconds), "last_use": .time(ifAny: password.lastUsedAt?.seconds),
    ]
  }
}
