internal import Crypto
public import Domain
internal import HTTP
internal import HTTPClient

/// Looks at the certificates of servers, for administrators who are to trust one.
public struct ServerTrust: Sendable {
  let client: OutboundClient

  /// What the server at `hostAndPort` shows, within what `connection` may reach; nothing is sent to one that is not trusted.
  ///
  /// An administrator who names a server by what nobody else can send declares its port, too.
  ///
  /// - Throws: ``UpstreamFailure`` when it cannot be reached or speaks no TLS.
  public func look(
    at hostAndPort: String, for connection: Connection, isDeclared: Bool = false
  ) async throws(UpstreamFailure) -> ServerSight {
    guard let url = ResourceURL("https://\(hostAndPort)/") else {
      throw .misconfigured("\(LogText.clean(hostAndPort)) is no host and port, such as gis.example.org:443.")
    }
    var request = OutboundRequest(.head, url.text)
    request.observesHandshake = true
    connection.open(&request)
    if isDeclared { request.reach.endpoints.insert(.init(host: url.host, port: url.port)) }
    request.limits.total = .seconds(5)
    let isApproved = request.pin != nil
    do {
      let answer = try await client.send(request)
      return sight(url, answer.handshake, approval: isApproved ? .fits : .none)
    } catch {
      guard case .notSent(let cause) = error, let handshake = cause.handshake, !handshake.chain.isEmpty else {
        if case .incomplete(let cause) = error, let handshake = cause.handshake, !handshake.chain.isEmpty {
          return sight(url, handshake, approval: isApproved ? .fits : .none)
        }
        throw Dialer.failure(of: error, at: url.origin, declaredAs: url.hostAndPort)
      }
      let approval: ServerSight.Approval =
        switch cause.kind {
        case .otherKey: .otherKey
        case .approvalEnded: .ended
        default: isApproved ? .fits : .none
        }
      return sight(url, handshake, approval: approval)
    }
  }

  private func sight(_ url: ResourceURL, _ handshake: Handshake?, approval: ServerSight.Approval) -> ServerSight {
    let chain = (handshake?.chain ?? []).compactMap { der -> CertificateDescription? in
      do { return CertificateDescription(try CertificateFacts(der: der)) } catch { return nil }
    }
    return ServerSight(
      server: url.hostAndPort, chain: chain, distrust: handshake?.distrust.map(Domain.Distrust.init), approval: approval
    )
  }
}

extension Connection {
  /// The pin for a request to `url`, if an administrator approved its server's key.
  func pin(for url: ResourceURL) -> ServerPin? {
    trustedKey(of: url.hostAndPort).map { ServerPin(publicKey: $0.bytes, until: $0.until.seconds) }
  }
}
