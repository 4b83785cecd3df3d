import Domain
import Logging
import Storage
import Upstream

extension Installation {
  /// What opens the network with what was opened of a credential; `nil` for none.
  func networkPass(_ held: VendToken.Held?) -> NetworkPass? {
    held.flatMap { pass($0.target.connection, $0.accessToken.secret, of: $0.credential) }
  }

  private func pass(_ connection: Connection, _ secret: Secret, of credential: Credential) -> NetworkPass? {
    upstreams.networkKind(of: connection).map {
      NetworkPass($0, publicRegistration(for: connection), secret, of: credential)
    }
  }

  /// What the person holds for the network in front of a portal; `nil` where there is none, or they hold nothing for it.
  ///
  /// Also of a credential that is being signed out: what the portal must be told goes through the network.
  func networkPass(for connection: Connection, of account: AccountID?) async throws -> NetworkPass? {
    guard connection.kind.passesLayers, let account, let network = try await network(before: connection),
      let (credential, sealed) = try await store.read({ try $0.sealedCredential(of: account, for: network.id) }),
      credential.state != .reauthRequired
    else { return nil }
    do {
      return pass(network, try unseal(sealed, of: credential, network).accessToken, of: credential)
    } catch KeyFailure
      .notAuthentic
    {
      log.error("a sealed credential does not open", ["credential": .string(credential.id.text)])
      return nil
    }
  }

  /// The connection that opens the network in front of a portal, if an administrator made one.
  func network(before connection: Connection) async throws -> Connection? {
    guard let url = ResourceURL(connection.origin) else { return nil }
    return try await network(before: url)
  }

  func network(before url: ResourceURL) async throws -> Connection? {
    let networks = try await knownConnections.all(in: store).filter { $0.kind.isNetwork && !$0.isDisabled }
    return networks.isEmpty ? nil : Connection.covering(url, among: networks)?.0
  }
}
