public import Domain
public import JSON

extension ProbeURL.Report {
  /// The report as apps and the command line read it.
  public var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("url", .string(url.withoutQuery)), .init("challenge", .string(challenge.name)),
    ]
    if let details { members.append(.init(challenge.name, details)) }
    if case .unknown(let text) = challenge { members.append(.init("detail", .string(text))) }
    members.append(.init("connections", .array(connections.map(\.summary))))
    return .object(members)
  }

  /// The scheme of HTTP authentication to answer with; `nil` when none may be used, or none is asked for.
  public var best: AuthenticationOffer? {
    guard case .network(.authentication(let offers)) = challenge else { return nil }
    return AuthenticationOffer.best(of: offers, overHTTPS: url.isHTTPS)
  }
}

extension ProbeURL.Report {
  fileprivate var details: JSONValue? {
    switch challenge {
    case .none, .unknown: nil
    case .identityAwareProxy(let host): ["host": .string(host)]
    case .arcGIS(let wanted):
      [
        "portal": wanted.portal.map(JSONValue.string) ?? .null,
        "sign_in": wanted.signIn.map { .string($0.rawValue) } ?? .null,
        "token_service": wanted.tokenService.map(JSONValue.string) ?? .null,
      ]
    case .network(.clientCertificate(let authorities)):
      ["demands": "client_certificate", "authorities": .array(authorities.map { .string($0) })]
    case .network(.serverTrust(let reason)): ["demands": "server_trust", "reason": .string(reason.rawValue)]
    case .network(.authentication(let offers)):
      [
        "demands": "authentication", "best": best.map { .string($0.scheme.rawValue) } ?? .null,
        "offers": .array(
          offers.map {
            ["scheme": .string($0.scheme.rawValue), "realm": $0.realm.map(JSONValue.string) ?? .null]
          }),
      ]
    }
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
    case .unknown: "unknown"
    }
  }
}

extension Connection {
  fileprivate var summary: JSONValue {
    ["id": .string(id.text), "name": .string(name), "kind": .string(kind.rawValue)]
  }
}
