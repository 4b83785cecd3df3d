import Domain
import Logging
import Storage
import Upstream

/// Chooses the token for a URL: the upstream's own, or a federated server's, got with it and kept until it expires.
struct FederatedToken: Sendable {
  let here: Installation
  let registration: Registration

  func token(
    for resource: ResourceURL, _ held: VendToken.Held, at now: Timestamp
  ) async throws -> (Secret, Timestamp) {
    guard registration.connection.kind == .oauthUser else {
      return (held.tokens.accessToken, held.credential.accessExpiresAt)
    }
    do {
      switch try await here.upstreams.portals.federation(for: resource, registration) {
      case .portal: return (held.tokens.accessToken, held.credential.accessExpiresAt)
      case .server(let root): return try await serverToken(root, held, at: now)
      case .notFederated:
        throw Refusal(.invalidTarget, "The server at this URL does not accept tokens of the connection's portal.")
      }
    } catch let failure as UpstreamFailure {
      here.log.warning(
        "there is no token for a federated server",
        ["connection": .string(registration.connection.id.text), "why": .string(failure.text)])
      throw failure.refusal
    }
  }

  /// A kept token; `nil` for one that was tampered with, which a new one then replaces.
  private func opened(_ sealed: Sealed, in place: SealContext) throws -> Secret? {
    do { return try here.vault.open(sealed, in: place) } catch KeyFailure.notAuthentic {
      here.log.error("a sealed token of a server does not open", ["place": .string(place.row)])
      return nil
    }
  }

  private func serverToken(_ root: String, _ held: VendToken.Held, at now: Timestamp) async throws -> (
    Secret, Timestamp
  ) {
    let credential = held.credential
    let place = SealContext(
      table: "server_token", column: "token", row: "\(credential.id) \(root)", account: credential.account.text)
    let kept = try await here.store.read {
      try $0.serverToken(of: credential.id, root: root, generation: credential.generation, at: now + 60)
    }
    if let (sealed, expiresAt) = kept, let token = try opened(sealed, in: place) { return (token, expiresAt) }
    let issued = try await here.upstreams.portals.serverToken(
      root: root, portalToken: held.tokens.accessToken, registration, now: now)
    let sealed = try here.vault.seal(issued.token, in: place)
    try await here.store.write {
      try $0.putServerToken(sealed, of: credential, root: root, expiresAt: issued.expiresAt)
    }
    return (issued.token, issued.expiresAt)
  }
}
