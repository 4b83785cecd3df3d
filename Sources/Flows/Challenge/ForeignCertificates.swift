import Domain
import Logging
import Storage
import Upstream

extension PeelLayers {
  /// The issuers of those certificates among `held` that none of the authorities issued which the server names.
  func foreignIssuers(
    _ challenge: Challenge, among connections: [Connection], _ held: [Credential]
  ) async throws -> [ConnectionID: String] {
    guard case .network(.clientCertificate(let authorities)) = challenge, !authorities.isEmpty else { return [:] }
    var issuers: [ConnectionID: String] = [:]
    for connection in connections where connection.kind == .certificate {
      let active = held.first { $0.connection == connection.id && $0.state == .active }
      guard let active else { continue }
      let chain = try await chain(of: active, connection)
      guard let own = chain.first, !CertificateDescription.isIssued(chain: chain, by: authorities) else { continue }
      issuers[connection.id] = own.issuer
    }
    return issuers
  }

  /// What the certificates of a credential say; none for one that does not open.
  private func chain(of credential: Credential, _ connection: Connection) async throws -> [CertificateDescription] {
    let stored = try await here.store.read { try $0.sealedCredential(credential.id) }
    guard let (current, sealed) = stored else { return [] }
    do {
      return CertificateKind.chain(in: try here.unseal(sealed, of: current, connection).accessToken)
    } catch KeyFailure.notAuthentic {
      here.log.error("a sealed credential does not open", ["credential": .string(credential.id.text)])
      return []
    }
  }
}
