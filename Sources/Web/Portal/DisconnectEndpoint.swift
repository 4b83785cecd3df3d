import Domain
import Flows
import HTTP
import Pages

/// Disconnects one service from the account.
struct DisconnectEndpoint: Sendable {
  private let desk: Desk
  private let disconnect: Disconnect

  init(_ desk: Desk) {
    self.desk = desk
    disconnect = Disconnect(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    let id = try call.connectionID()
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    let services = try await desk.here.overview(of: person.account.id).services
    guard let service = services.first(where: { $0.connection.id == id }) else {
      throw Refusal(.notFound, "You are not connected to a service of this name.")
    }
    let slots: PageContext.Object = [
      "signed_in_as": .text(service.credential.identity.displayName),
      "revocable": .flag(service.connection.canRevoke), "network": .flag(service.connection.kind.isNetwork),
      "ends": service.credential.accessExpiresAt.isNever ? .none : .time(service.credential.accessExpiresAt.seconds),
    ]
    return try desk.page(.disconnect, service.connection.slots.merging(slots), call, form: "disconnect \(id)")
  }

  func post(_ call: Call) async throws -> Response {
    let id = try call.connectionID()
    try desk.verify(try call.form(), call, form: "disconnect \(id)")
    guard let person = try await desk.person(call) else { return try desk.signInFirst(then: .account) }
    guard try await disconnect(id, from: person.account.id, call.visitor) != nil else {
      throw Refusal(.notFound, "You are not connected to a service of this name.")
    }
    return try desk.redirect(to: "/account?disconnected=\(id)")
  }
}
