extension SimulatorOptions {
  /// What `--help` prints.
  public static let usage = """
    upstream-simulator: pretends to be an ArcGIS portal with a federated server, for demos and tests.

    --listen ADDRESS:PORT          where to listen; 127.0.0.1:8090 unless given, port 0 for any
    --tls-certificate FILE         serve HTTPS with this PEM certificate chain
    --tls-key FILE                 and this PEM key
    --user NAME:PASSWORD           a member; repeat for more; ana and ben unless given
    --unentitled NAME              a member who may not read the traffic layer
    --client ID:REDIRECT-URI       a registered app; repeat for more, or for more redirect URIs of one
    --client-secret ID:SECRET      lets that app use client_credentials
    --access-ttl SECONDS           no access token lives longer
    --refresh-ttl SECONDS          no refresh token lives longer
    --portal-context PATH          the web adaptor in the portal URL that the server names, such as /portal
    --hide-refresh-expiry          leave out refresh_token_expires_in, as portals before 10.9.1 do
    --accept-portal-tokens         the federated server takes the portal's tokens, too

    Switches while it runs:
    GET or DELETE /_counters       calls per endpoint; reset them
    PUT /_faults                   {"endpoint":"token","kind":"status","value":503,"times":1}; without times for good
                                   kinds: delay (ms), status, garbage, html, truncate, drop, drop-after, refuse
    GET or DELETE /_faults         list them; end them
    POST /_revoke                  {"user":"ana"} kills all tokens of that user
    POST /_clock                   {"advance":1800} moves its time by that many seconds

    """

  /// What the program says when it listens on `port`; names no password and no secret.
  public func greeting(port: UInt16) -> String {
    let scheme = tlsCertificate == nil ? "http" : "https"
    let address = listen.prefix(upTo: listen.lastIndex(of: ":") ?? listen.endIndex)
    let users = configuration.users.map { $0.name + ($0.isEntitled ? "" : " (may not read the traffic layer)") }
    let clients = configuration.clients.flatMap { client in client.redirectURIs.map { "\(client.id) → \($0)" } }
    return """
      Upstream simulator (not a real portal) listens on \(scheme)://\(address):\(port)
      portal:  \(scheme)://portal.localhost:\(port)\(configuration.portalContext)
      server:  \(scheme)://server.localhost:\(port)/server
      another portal's server: \(scheme)://stranger.localhost:\(port)/server
      users:   \(users.joined(separator: ", "))
      clients: \(clients.joined(separator: ", "))
      """
  }
}
