import Domain
import Storage
import Synchronization

/// How people stand towards vends, as it was read last: an app asks often between two changes.
///
/// Exact: what was read before a write, such as a sign-out or a consent withdrawn, is never used after it.
final class KnownStandings: Sendable {
  private struct Place: Hashable {
    /// The id of a token or API key.
    let proof: String
    let connection: ConnectionID?
  }

  private struct Kept {
    let standing: VendStanding
    let account: AccountID?
    let client: ClientID
    let version: Int
  }

  private static let capacity = 10_000
  private let kept = Mutex<[Place: Kept]>([:])

  /// How the person of `request` stands towards it at `connection`; read each time for a caller without a token or key.
  ///
  /// - Throws: `Refusal` `invalid_token` when `token` or its account has ended.
  func standing(
    of request: VendRequest, for connection: Connection?, with token: AccessTokenClaims?, _ here: Installation
  ) async throws -> VendStanding {
    guard let proof = token?.id ?? request.key?.id.text else { return try await read(request, connection, nil, here) }
    let place = Place(proof: proof, connection: connection?.id)
    let version = here.store.changeVersion
    if let known = kept.withLock({ $0[place] }), known.version == version, known.account == request.account,
      known.client == request.client, !known.standing.needsTouch(at: here.clock.now())
    {
      return known.standing
    }
    let read = try await read(request, connection, token, here)
    kept.withLock { kept in
      if kept.count >= Self.capacity { kept.removeAll() }
      kept[place] = Kept(standing: read, account: request.account, client: request.client, version: version)
    }
    return read
  }

  private func read(
    _ request: VendRequest, _ connection: Connection?, _ token: AccessTokenClaims?, _ here: Installation
  ) async throws -> VendStanding {
    try await here.store.read { try $0.standing(of: request, for: connection, with: token) }
  }
}

extension VendStanding {
  /// Whether the next use is noted in the store, which then says more than what was read before it.
  fileprivate func needsTouch(at now: Timestamp) -> Bool { credential?.needsTouch(at: now) ?? false }
}

extension Transaction {
  /// What the person of `request` allows and holds, or the service for them; only the latter for a client that acts for
  /// itself.
  ///
  /// - Throws: `Refusal` `invalid_token` when `token` has ended.
  fileprivate func standing(
    of request: VendRequest, for connection: Connection?, with token: AccessTokenClaims?
  ) throws -> VendStanding {
    let isServiceOwned = connection?.kind.isServiceOwned ?? false
    guard let account = request.account else {
      if let token, try hasEnded(token) { throw Refusal.endedToken }
      guard isServiceOwned, let connection else { return VendStanding(consent: nil, credential: nil) }
      return VendStanding(consent: nil, credential: try credential(of: Account.service, for: connection.id))
    }
    let personal = token.flatMap { token in
      token.family.map { PersonalToken(id: token.id, family: $0, generation: token.generation) }
    }
    let standing = try vendStanding(
      of: account, towards: request.client, for: connection?.id, heldBy: isServiceOwned ? Account.service : account,
      with: personal)
    // A job learns of nobody whether they have an account: it is told the same as of somebody who allows nothing.
    if standing == nil, request.unattended != nil { return VendStanding(consent: nil, credential: nil) }
    guard let standing else { throw Refusal.endedToken }
    return standing
  }
}
