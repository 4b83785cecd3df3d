import Domain
import HTTP
import Logging
import Upstream

/// The person goes on without what a request needs, so that it gets the upstream's own answer.
struct GoesOnWithout: Error {
  /// The connection that they did not sign in to.
  let connection: ConnectionID
}

extension ForwardRequest {
  /// Sends `request` as it would go for somebody who holds nothing but what opens the layers outside of the refused one.
  ///
  /// What is held for the layers inside stays here: nothing but the refused one would see it.
  func send(
    _ request: Request, to url: ResourceURL, without refused: GoesOnWithout, _ connection: Connection,
    _ wish: VendRequest, with caller: VendCaller, _ visitor: Visitor, at taken: ProxyPlaces.Place
  ) async throws -> Answer {
    let outer = try await vend(outside: refused, wish, with: caller, visitor)
    let names = outer?.used.map(\.connection.text).joined(separator: " and ")
    try await here.recordVend(
      AuditEvent(
        .vendRefused, .failure, at: here.clock.now(), origin: visitor.origin, account: wish.account,
        client: wish.client, connection: refused.connection, resource: url.withoutQuery,
        detail: "proxied \(request.method.name) without a credential, as the person wished"
          + (names.map { ", behind \($0)" } ?? "")),
      of: wish.account, for: url, by: wish.key)
    do {
      let headers = outer?.token.headers ?? []
      guard let network = outer?.network, let pass = here.networkPass(network) else {
        return try await send(request, to: url, with: Passage(headers: headers), for: connection, at: taken)
      }
      // Whose refusal an answer is cannot be told here, so that nothing that is held is judged by it.
      return try await sendOnce(request, to: url, headers, through: pass, network, connection, at: taken)
    } catch is StoredSecretRefused {
      throw Refusal(.upstreamError, "The network in front of the service refuses what is held for it.")
    }
  }

  /// What the person holds for the layers outside of the refused one; `nil` when there is none, or it is of no use now.
  private func vend(
    outside refused: GoesOnWithout, _ wish: VendRequest, with caller: VendCaller, _ visitor: Visitor
  ) async throws -> VendToken.Vend? {
    guard let client = try await here.liveClient(wish.client),
      let layers = VendLayers(of: wish, among: try await here.knownConnections.layered(in: here.store), client),
      let nearest = layers.inFront.prefix(while: { $0.connection.id != refused.connection }).last
    else { return nil }
    var outer = VendRequest(
      client: wish.client, account: wish.account, resource: wish.resource, minimumLifetime: wish.minimumLifetime,
      audience: nearest.connection.id.text)
    (outer.proxiedMethod, outer.key) = (wish.proxiedMethod, wish.key)
    do { return try await VendToken(here).forProxy(outer, with: caller.token, visitor) } catch is Refusal {
      return nil
    } catch is GoesOnWithout { return nil }
  }
}
