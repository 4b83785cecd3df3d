extension SimulatorOptions {
  /// What `--help` prints.
  public static let usage = """
    upstream-simulator: pretends to be an ArcGIS portal with a federated server, and a Microsoft Entra
    directory with its App Proxy in front of them, for demos and tests.

    \(table.map(\.line).joined(separator: "\n"))

    Switches while it runs:
    GET or DELETE /_counters       calls per endpoint; reset them
    PUT /_faults                   {"endpoint":"token","kind":"status","value":503,"times":1}; without times for good
                                   kinds: delay (ms), status, garbage, html, truncate, drop, drop-after, refuse
    GET or DELETE /_faults         list them; end them
    POST /_revoke                  {"user":"ana"} kills all tokens of that user
    POST /_keys                    the Entra directory signs with a new key from now on
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
      Entra:   \(scheme)://login.localhost:\(port)/\(Directory.tenantID)
      behind App Proxy: \(scheme)://apps.localhost:\(port)\(configuration.portalContext)
      users:   \(users.joined(separator: ", "))
      clients: \(clients.joined(separator: ", "))
      """
  }
}

extension SimulatorOptions.Option {
  /// Its line of the usage.
  fileprivate var line: String {
    let form = value.map { "\(name) \($0)" } ?? name
    return form + String(repeating: " ", count: max(1, 31 - form.count)) + meaning
  }
}
