import Domain
import Flows
import HTTP
import Pages

/// Whether apps at the ArcGIS portal of a connection may sign people in with app passwords.
struct AppPasswordSwitchEndpoint: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    do {
      let typed = posted.nonEmpty("app_client")
      let client = typed.flatMap(ClientID.init)
      guard typed == nil || client != nil else { throw Refusal(.invalidRequest, "Choose one of the list.") }
      try await TakeAppPasswords(admin.here)(client, at: id, by: call.id, call.visitor)
    } catch let refusal as Refusal where refusal.code == .invalidRequest {
      var form = ConnectionEndpoint.form()
      form.refuse("app_client", Words(refusal.description))
      return try await ConnectionEndpoint(admin).page(form, call, status: 422)
    }
    return try admin.desk.redirect(to: ConnectionEndpoint.path(id))
  }

  /// What the page of a connection shows of it; none where nobody signs in to a portal.
  static func slots(_ connection: Connection, _ here: Installation) async throws -> PageContext {
    guard connection.kind.isPortal, !connection.kind.isServiceOwned else { return .none }
    let eligible = try await TakeAppPasswords(here).eligible(at: connection)
    return [
      "people_url": .text("\(here.issuer)\(AllowedAppsEndpoint.path)"),
      "candidates": .list(
        eligible.map {
          [
            "client": .text($0.id.text), "name": .text($0.name),
            "chosen": .flag($0.id == connection.appPasswordClient),
          ]
        }),
    ]
  }
}
