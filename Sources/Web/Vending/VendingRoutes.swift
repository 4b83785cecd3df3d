import HTTP

extension App {
  /// What apps get upstream tokens from.
  static func vendingRoutes(_ desk: Desk) -> [Route] {
    let vend = VendEndpoint(desk.here)
    let connections = ConnectionsEndpoint(desk.here)
    let probe = ProbeEndpoint(desk.here)
    return [
      .api(.get, "/v1/token") { try await vend.answer($0) },
      .api(.get, "/v1/connections") { try await connections.answer($0) },
      .api(.post, "/v1/probe") { try await probe.answer($0) },
    ]
  }
}
