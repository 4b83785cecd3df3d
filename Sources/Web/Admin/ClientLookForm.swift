import Domain
import Flows
import HTTP
import Pages

/// The logo and the colour that an administrator gives a client.
struct ClientLookForm: Sendable {
  private let admin: AdminDesk

  init(_ admin: AdminDesk) { self.admin = admin }

  func post(_ call: AdminCall, _ posted: Form, _ files: [String: [UInt8]]) async throws -> Response {
    let id = try call.clientID()
    let accent = posted.nonEmpty("accent")
    let logo = files["logo"].flatMap { $0.isEmpty ? nil : $0 }
    do {
      try await ChangeClientLook(admin.here)(
        id, accent: accent.map { .set($0) } ?? .remove,
        logo: logo.map { .set($0) } ?? (posted["logo_off"] == nil ? .keep : .remove), by: call.id, call.visitor)
    } catch let objections as ChangeClientLook.Objections {
      var form = ClientEndpoint.form(accent: accent)
      for (field, text) in objections.list { form.refuse(field, Words(text)) }
      return try await ClientEndpoint(admin).page(form, call, status: 422)
    }
    return try admin.redirect(to: "\(ClientListEndpoint.path)/\(id)", .changed, "look")
  }
}
