public import Domain
public import JSON

extension ProbeURL.Report {
  /// The report as apps and the command line read it.
  public var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("url", .string(url.withoutQuery)), .init("challenge", .string(challenge.name)),
    ]
    members += challenge.members(overHTTPS: url.isHTTPS)
    members.append(.init("connections", .array(connections.map(\.summary))))
    if let peeled {
      members.append(.init("layers", .array(peeled.layers.map { $0.json(overHTTPS: url.isHTTPS) })))
      members.append(.init("answers", .bool(peeled.end == .answers)))
    }
    return .object(members)
  }

  /// The scheme of HTTP authentication to answer with; `nil` when none may be used, or none is asked for.
  public var best: AuthenticationOffer? {
    guard case .network(.authentication(let offers)) = challenge else { return nil }
    return AuthenticationOffer.best(of: offers, overHTTPS: url.isHTTPS)
  }
}

extension PeelLayers.Layer {
  fileprivate func json(overHTTPS: Bool) -> JSONValue {
    var members: [JSONValue.Member] = [.init("challenge", .string(challenge.name))]
    members += challenge.members(overHTTPS: overHTTPS)
    members.append(.init("state", .string(state.rawValue)))
    members.append(.init("connections", .array(candidates.map(\.summary))))
    return .object(members)
  }
}

extension Challenge {
  /// The name of the layer on the wire.
  fileprivate var name: String {
    switch self {
    case .none: "none"
    case .network: "network"
    case .identityAwareProxy: "iap"
    case .arcGIS: "arcgis"
    case .accessToken: "access_token"
    case .forbidden: "forbidden"
    case .unknown: "unknown"
    }
  }

  /// What there is to say beyond the name.
  fileprivate func members(overHTTPS: Bool) -> [JSONValue.Member] {
    if case .unknown(let text) = self { return [.init("detail", .string(text))] }
    return details(overHTTPS: overHTTPS).map { [.init(name, $0)] } ?? []
  }

  private func details(overHTTPS: Bool) -> JSONValue? {
    switch self {
    case .none, .forbidden, .unknown: nil
    case .identityAwareProxy(let host): ["host": .string(host)]
    case .accessToken(let realm): ["realm": realm.map(JSONValue.string) ?? .null]
    case .arcGIS(let wanted):
      [
        "portal": wanted.portal.map(JSONValue.string) ?? .null,
        "sign_in": wanted.signIn.map { .string($0.rawValue) } ?? .null,
        "token_service": wanted.tokenService.map(JSONValue.string) ?? .null,
      ]
    case .network(let challenge): challenge.details(overHTTPS: overHTTPS)
    }
  }
}

extension NetworkChallenge {
  fileprivate func details(overHTTPS: Bool) -> JSONValue {
    switch self {
    case .clientCertificate(let authorities):
      ["demands": "client_certificate", "authorities": .array(authorities.map { .string($0) })]
    case .serverTrust(let reason): ["demands": "server_trust", "reason": .string(reason.rawValue)]
    case .authentication(let offers):
      [
        "demands": "authentication",
        "best": AuthenticationOffer.best(of: offers, overHTTPS: overHTTPS).map { .string($0.scheme.rawValue) } ?? .null,
        "offers": .array(
          offers.map {
            ["scheme": .string($0.scheme.rawValue), "realm": $0.realm.map(JSONValue.string) ?? .null]
          }),
      ]
    }
  }
}

extension Connection {
  fileprivate var summary: JSONValue {
    ["id": .string(id.text), "name": .string(name), "kind": .string(kind.rawValue)]
  }
}
