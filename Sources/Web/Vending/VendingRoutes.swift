import HTTP

extension App {
  /// What apps get upstream tokens from.
  static func vendingRoutes(_ desk: Desk) -> [Route] {
    let vend = VendEndpoint(desk.here)
    let connections = ConnectionsEndpoint(desk.here)
    return [
      .api(.get, "/v1/token") { try await vend.answer($0) },
      .api(.get, "/v1/connections") { try await connections.answer($0) },
    ]
  }
}
