import Domain
import Logging
import Storage
import Upstream

/// Makes what somebody holds for a connection fit to be shown to a resource: refreshed, opened, and exchanged for a
/// token of the server where that belongs to a portal.
struct PresentCredential: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  enum Presented: Sendable {
    case shown(ShownCredential, Credential)
    case unusable(PeelLayers.State, Credential?)
  }

  /// Seconds that a token must still work to be shown.
  private static let enough: Int64 = 30

  /// `outer` is what satisfies the layers in front of the resource, which the connection's portal then may stand behind,
  /// too.
  func callAsFunction(
    _ connection: Connection, of account: AccountID?, for url: ResourceURL, behind outer: [ShownCredential]
  ) async throws -> Presented {
    guard let owner = connection.kind.isServiceOwned ? Account.service : account,
      let credential = try await fresh(connection, of: owner), credential.state != .closing,
      !credential.isKeptTooLong(at: here.clock.now())
    else { return .unusable(.notConnected, nil) }
    let now = here.clock.now()
    guard credential.state == .active, credential.isFresh(for: 1, at: now),
      let pattern = connection.resources.first(where: { $0.covers(url) })
    else { return .unusable(.reauthRequired, credential) }
    let target = VendToken.Target(
      connection: connection, pattern: pattern, credential: credential)
    do {
      let held = try await VendToken(here).open(target, at: now)
      var registration = here.publicRegistration(for: connection)
      if let pass = here.networkPass(held) {
        return .shown(ShownCredential(pass, kind: here.upstreams.kind(of: connection), registration), credential)
      }
      registration.proxyPass = outer.lazy.compactMap(\.proxyPass).first
      registration.networkPass = outer.lazy.compactMap(\.networkPass).first
      let chosen = try await FederatedToken(here: here, registration: registration).token(for: url, held, at: now)
      let shown = ShownCredential(
        kind: here.upstreams.kind(of: connection), registration, token: chosen.token, referer: held.accessToken.referer)
      return .shown(shown, credential)
    } catch let refusal as Refusal {
      let isPersons = refusal.code == .interactionRequired
      return .unusable(isPersons ? .reauthRequired : .unavailable, credential)
    } catch is FederatedToken.PortalRefuses {
      return .unusable(.refused, credential)
    } catch is FederatedToken.Superseded {
      return .unusable(.unavailable, credential)
    }
  }

  /// The credential as it is after a refresh, if it needed one.
  private func fresh(_ connection: Connection, of owner: AccountID) async throws -> Credential? {
    let held = try await here.store.read { try $0.credential(of: owner, for: connection.id) }
    guard let held, held.state == .active, held.canRefresh, !held.isFresh(for: Self.enough, at: here.clock.now())
    else { return held }
    _ = await here.refreshes.refresh(held.id, insteadOf: held.generation, at: here.clock.now())
    return try await here.store.read { try $0.credential(of: owner, for: connection.id) }
  }
}
