import Domain
import Flows
import HTTP
import Pages

/// The API keys of a connection: another one in the place of the one in use, or beside it until that ends.
struct KeyEndpoint: Sendable {
  private let admin: AdminDesk
  private let connection: ConnectionEndpoint

  init(_ admin: AdminDesk) {
    self.admin = admin
    connection = ConnectionEndpoint(admin)
  }

  func post(_ call: AdminCall, _ posted: Form) async throws -> Response {
    let id = try call.call.connectionID()
    var form = ConnectionEndpoint.form()
    for name in ["expires", "referer"] { form.fill(name, with: posted[name] ?? "") }
    let now = admin.here.clock.now()
    let (key, objections) = ConnectForm.readToken(posted, at: now) { $0.keyObjections(at: now) }
    for objection in objections { form.refuse(objection.field, objection.text) }
    guard let key else { return try await connection.page(form, call, status: 422) }
    do {
      if posted["use"] == "next" {
        try await NextKey(admin.here).put(key, of: id, by: call.id, call.visitor)
      } else {
        try await ReplaceKey(admin.here)(key, of: id, by: call.id, call.visitor)
      }
    } catch let refusal as Refusal where [.invalidClient, .upstreamError, .invalidRequest].contains(refusal.code) {
      form.refuse("token", refusal.description)
      return try await connection.page(form, call, status: 422)
    }
    return try admin.desk.redirect(to: ConnectionEndpoint.path(id))
  }

  /// Lets the next key take over at once.
  func useNext(_ call: AdminCall) async throws -> Response {
    let id = try call.call.connectionID()
    try await NextKey(admin.here).use(of: id, by: call.id, call.visitor)
    return try admin.desk.redirect(to: ConnectionEndpoint.path(id))
  }

  func removeNext(_ call: AdminCall) async throws -> Response {
    let id = try call.call.connectionID()
    try await NextKey(admin.here).remove(of: id, by: call.id, call.visitor)
    return try admin.desk.redirect(to: ConnectionEndpoint.path(id))
  }
}
