import Flows
import HTTP
import Pages

/// The start page: the account of whoever is signed in, else the way in.
struct HomeEndpoint: Sendable {
  private let desk: Desk
  private let setUp: SetUp

  init(_ desk: Desk) {
    self.desk = desk
    setUp = SetUp(desk.here)
  }

  func get(_ call: Call) async throws -> Response {
    if try await desk.person(call) != nil { return try desk.redirect(to: "/account") }
    return try desk.page(.home, ["is_set_up": .flag(try await setUp.isDone())], call)
  }
}
