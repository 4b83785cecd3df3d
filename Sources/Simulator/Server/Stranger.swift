internal import JSON

extension Portal {
  /// A server of somebody else's portal: it says so in `/rest/info` and asks for a token everywhere else.
  ///
  /// Whoever sends it a token of this portal gives that token away; the counter `stranger.token` tells.
  func stranger(_ route: Route) throws(PortalError) -> JSONValue {
    guard route.names.suffix(2) == ["rest", "info"] else { throw .tokenRequired }
    return [
      "currentVersion": 11.3, "fullVersion": "11.3.0", "owningSystemUrl": "https://portal.stranger.example/portal",
      "authInfo": [
        "isTokenBasedSecurity": true,
        "tokenServicesUrl": "https://portal.stranger.example/portal/sharing/rest/generateToken",
      ],
    ]
  }
}
