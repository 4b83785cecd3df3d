import Domain
import HTTP

extension App {
  /// What apps get upstream tokens from.
  static func vendingRoutes(_ desk: Desk) -> [Route] {
    let vend = VendEndpoint(desk.here)
    let connections = ConnectionsEndpoint(desk.here)
    let probe = ProbeEndpoint(desk.here)
    let proxy = ProxyEndpoint(desk.here)
    let key = APIKeyEndpoint(desk.here)
    let tokens = APIKeyTokenEndpoint(desk.here)
    let verify = VerifyAPIKeysEndpoint(desk.here)
    let proxied: [HTTP.Method] = [.get, .post, .put, .patch, .delete, .options]
    return [
      .shared(.get, "/v1/token") { try await vend.answer($0) },
      .shared(.get, "/v1/connections") { try await connections.answer($0) },
      .shared(.post, "/v1/probe") { try await probe.answer($0) },
      .shared(.get, APIKeyEndpoint.path) { try await key.get($0) },
      .shared(.delete, APIKeyEndpoint.path) { try await key.delete($0) },
      .shared(.post, APIKeyTokenEndpoint.path) { try await tokens.post($0) },
      .api(.post, VerifyAPIKeysEndpoint.path) { try await verify.post($0) },
    ] + proxied.map { .shared($0, Connection.proxyRoot + ":connection/*path") { try await proxy.answer($0) } }
  }
}
