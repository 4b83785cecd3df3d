import Domain
import Logging
import Storage
import Upstream

/// Chooses the token for a URL: the upstream's own, or a federated server's, got with it and kept until it expires.
struct FederatedToken: Sendable {
  let here: Installation
  let registration: Registration

  private var connection: Connection { registration.connection }

  /// The credential that a token was got with has been refreshed or has ended meanwhile.
  struct Superseded: Error {}

  /// The portal answered 498 to a token of its own that should still work.
  struct PortalRefuses: Error {}

  struct Chosen: Sendable {
    let token: Secret
    let expiresAt: Timestamp
    /// Whether another server was asked for it, which takes time in which much can end.
    let hasWaited: Bool
  }

  func token(
    for resource: ResourceURL, _ held: VendToken.Held, at now: Timestamp
  ) async throws -> Chosen {
    do {
      guard connection.kind.isPortal else { return try Self.own(held) }
      switch here.upstreams.portals.federation(for: resource, connection) {
      case .portal: return try Self.own(held)
      case .server(let root): return try await serverToken(root, held, at: now)
      case .notFederated: throw Self.notFederated
      }
    } catch let failure as UpstreamFailure {
      here.log.warning(
        "there is no token for a resource",
        ["connection": .string(connection.id.text), "why": .string(failure.text)])
      if case .refused = failure, held.failure == nil { throw PortalRefuses() }
      throw failure.refusal
    }
  }

  /// The credential's own access token.
  private static func own(_ held: VendToken.Held) throws -> Chosen {
    if let failure = held.failure { throw failure }
    return Chosen(
      token: held.accessToken.secret, expiresAt: held.credential.accessExpiresAt, hasWaited: false)
  }

  static let notFederated = Refusal(
    .invalidTarget, "There is no ArcGIS server at this URL that accepts tokens of the connection's portal.")

  /// Seconds that a kept token must still work to be handed out without asking for a new one.
  private static let enough: Int64 = 60

  private func serverToken(
    _ root: String, _ held: VendToken.Held, at now: Timestamp
  ) async throws -> Chosen {
    let (credential, connection) = (held.credential, connection)
    let place = SealContext(
      table: "server_token", column: "token", row: "\(credential.id) \(root)", account: credential.account.text)
    let (known, sealed) = try await here.store.read { tx in
      (
        try tx.federatedServer(at: root, for: connection),
        try tx.serverToken(of: credential.id, root: root, generation: credential.generation, at: now)
      )
    }
    let isKnown = known.map { now < $0.askAgainAt } ?? false
    let server = try await believed(known, at: root, now: now)
    guard here.upstreams.portals.isFederated(server, connection) else { throw Self.notFederated }
    let kept = try sealed.flatMap { sealed, expiresAt in
      try opened(sealed, in: place).map { Chosen(token: $0, expiresAt: expiresAt, hasWaited: !isKnown) }
    }
    if let kept, kept.expiresAt - now > Self.enough { return kept }
    do {
      if let failure = held.failure { throw failure }
      return try await issue(for: root, held, in: place, at: now)
    } catch let failure as UpstreamFailure {
      // A token that still works goes on being served while the portal is down.
      guard let kept, failure.mayPass else { throw failure }
      return Chosen(token: kept.token, expiresAt: kept.expiresAt, hasWaited: true)
    }
  }

  /// What the server says of itself: its last answer while that is fresh, and while it gives no new one.
  private func believed(_ known: FederatedServer?, at root: String, now: Timestamp) async throws -> FederatedServer {
    if let known, now < known.askAgainAt { return known }
    do {
      let server = try await here.upstreams.portals.server(at: root, registration, now: now)
      here.store.keep(server, for: connection)
      return server
    } catch {
      guard error.mayPass, let known = known?.unanswered(at: now) else { throw error }
      here.store.keep(known, for: connection)
      return known
    }
  }

  /// A kept token; `nil` for one that was tampered with, which a new one then replaces.
  private func opened(_ sealed: Sealed, in place: SealContext) throws -> Secret? {
    do { return try here.vault.open(sealed, in: place) } catch KeyFailure.notAuthentic {
      here.log.error("a sealed token of a server does not open", ["place": .string(place.row)])
      return nil
    }
  }

  private func issue(
    for root: String, _ held: VendToken.Held, in place: SealContext, at now: Timestamp
  ) async throws -> Chosen {
    let issued = try await here.upstreams.portals.serverToken(
      root: root, portalToken: held.accessToken.secret, referer: held.accessToken.referer, registration, now: now)
    let sealed = try here.vault.seal(issued.token, in: place)
    let isKept = try await here.store.write {
      try $0.putServerToken(sealed, of: held.credential, root: root, expiresAt: issued.expiresAt)
    }
    // A token that nobody keeps would be missing in the report of a sign-out.
    guard isKept else { throw Superseded() }
    return Chosen(token: issued.token, expiresAt: issued.expiresAt, hasWaited: true)
  }
}
