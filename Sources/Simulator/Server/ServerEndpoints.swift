internal import JSON

extension Portal {
  /// The federated server's answers.
  func server(_ call: Call, _ route: Route) throws(PortalError) -> JSONValue {
    if route.endpoint == .serverInfo { return serverInfo(call) }
    let token = try holder(of: call, at: .server(call.host.serverRoot(route.context)))
    if route.endpoint == .serverCatalog { return route.names.isEmpty ? catalog(for: token) : Self.utilities }
    let name = route.names.first ?? ""
    guard let service = FeatureService(rawValue: name) else {
      throw .notFound("Service \(name)/FeatureServer not found")
    }
    try check(token, for: service)
    switch route.endpoint {
    case .serverLayer: return service.layer
    case .serverQuery: return service.query(call.parameters)
    default: return service.description
    }
  }

  /// `/rest/info`: names the portal under which this server was called, exactly.
  private func serverInfo(_ call: Call) -> JSONValue {
    let portal = call.host.portalOrigin + configuration.portalContext
    return [
      "currentVersion": 11.3, "fullVersion": "11.3.0", "owningSystemUrl": .string(portal),
      "authInfo": [
        "isTokenBasedSecurity": true, "tokenServicesUrl": .string(portal + "/sharing/rest/generateToken"),
        "shortLivedTokenValidity": 60,
      ],
    ]
  }

  /// - Throws: 499 without a token, 403 for a user without the right.
  private func check(_ token: AccessToken?, for service: FeatureService) throws(PortalError) {
    guard !service.isPublic else { return }
    guard let token else { throw .tokenRequired }
    guard mayRead(token, service) else { throw .forbidden }
  }

  /// Apps' own tokens may read everything.
  private func mayRead(_ token: AccessToken, _ service: FeatureService) -> Bool {
    guard let name = token.user else { return true }
    return service.isPublic || configuration.user(named: name)?.isEntitled == true
  }

  /// The one folder, of a service that is named and nothing else.
  private static let utilities: JSONValue = [
    "currentVersion": 11.3, "folders": [], "services": [["name": "Utilities/Geometry", "type": "GeometryServer"]],
  ]

  private func catalog(for token: AccessToken?) -> JSONValue {
    let visible = FeatureService.allCases.filter { service in
      service.isPublic || token.map { mayRead($0, service) } ?? false
    }
    return [
      "currentVersion": 11.3, "folders": ["Utilities"],
      "services": .array(visible.map { ["name": .string($0.rawValue), "type": "FeatureServer"] }),
    ]
  }
}
