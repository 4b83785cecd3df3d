internal import HTTP
internal import JSON

extension Portal {
  /// What the portal says about itself and about the caller.
  func identity(_ call: Call, _ route: Route) throws(PortalError) -> JSONValue {
    switch route.endpoint {
    case .portalInfo: return info(of: call.host.origin + route.context)
    case .portalsSelf: return portalSelf(call, route, try holder(of: call, at: .portal))
    case .portalServers: return servers(call.host, for: try signedInUser(call))
    case .communitySelf: return describe(try signedInUser(call))
    case .communityUser:
      _ = try signedInUser(call)
      guard let user = route.names.first.flatMap(configuration.user) else {
        throw PortalError(code: 400, message: "User does not exist or is inaccessible.", messageCode: "COM_0018")
      }
      return describe(user)
    default: return Self.version
    }
  }

  /// `/info` of the portal at `url`, which its federated server answers too.
  func info(of url: String) -> JSONValue {
    [
      "owningSystemUrl": .string(url),
      "authInfo": [
        "tokenServicesUrl": .string(url + "/sharing/rest/generateToken"), "isTokenBasedSecurity": true,
      ],
    ]
  }

  private static let version: JSONValue = [
    "currentVersion": "2024.1", "enterpriseVersion": "11.3.0", "enterpriseBuild": "51575",
  ]

  private static let organisation: JSONValue = "0123456789ABCDEF"

  /// - Throws: 499 without a token, 403 for an app's own token: an app is no user.
  private func signedInUser(_ call: Call) throws(PortalError) -> SimulatedUser {
    guard let token = try holder(of: call, at: .portal) else { throw .tokenRequired }
    guard let user = token.user.flatMap(configuration.user) else { throw .forbidden }
    return user
  }

  private func portalSelf(_ call: Call, _ route: Route, _ token: AccessToken?) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", Self.organisation), .init("name", "Upstream simulator (not a real portal)"),
      .init("portalMode", "singletenant"), .init("isPortal", true), .init("allSSL", .bool(call.request.isSecure)),
      .init("supportsOAuth", true), .init("currentVersion", "2024.1"),
      .init("customBaseUrl", .string(call.host.name)),
      .init("portalHostname", .string(String(call.host.origin.drop { $0 != "/" }.dropFirst(2)) + route.context)),
      .init("maxTokenExpirationMinutes", -1), .init("authorizedCrossOriginDomains", []),
    ]
    if let user = token?.user.flatMap(configuration.user) { members.append(.init("user", describe(user))) }
    if let client = token?.clientID {
      members.append(.init("appInfo", ["appId": .string(client), "itemId": "", "privileges": []]))
    }
    return .object(members)
  }

  /// The servers federated with the portal, by which a client can tell them from those that only say so.
  private func servers(_ host: CalledHost, for _: SimulatedUser) -> JSONValue {
    let url = JSONValue.string(host.serverURL)
    return [
      "servers": [
        [
          "id": "s1", "name": "Federated server", "url": url, "adminUrl": url, "isHosted": false,
          "serverType": "ArcGIS", "serverRole": "FEDERATED_SERVER",
        ]
      ]
    ]
  }

  private func describe(_ user: SimulatedUser) -> JSONValue {
    [
      "username": .string(user.name), "fullName": .string(user.name.prefix(1).uppercased() + user.name.dropFirst()),
      "email": .string(user.name + "@example.org"), "orgId": Self.organisation, "role": "org_user",
      "userType": "arcgisonly", "provider": "arcgis", "mfaEnabled": false,
      "privileges": ["features:user:edit", "portal:user:createItem"], "groups": [],
    ]
  }
}
