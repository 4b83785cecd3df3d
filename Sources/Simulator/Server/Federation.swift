internal import HTTP

extension CalledHost {
  /// The URL of the server federated with the portal at this host.
  var serverURL: String { (name == Self.portal ? origin(ofHost: Self.server) : origin) + "/server" }

  /// The URL, without context, of the portal that the server at this host belongs to.
  var portalOrigin: String { isServer ? origin(ofHost: Self.portal) : origin }

  /// The root of the federated server that `url` lies on; `nil` when it is no server of the portal at this host.
  ///
  /// Host and port are compared exactly; the root is what comes before `/rest` or `/admin`.
  func federatedRoot(of url: String) -> String? {
    guard let url = URLParts(url) else { return nil }
    let context = url.path.split(separator: "/").prefix { $0 != "rest" && $0 != "admin" }
    let isOwnHost = url.origin == URLParts(origin)?.origin && context.last == "server"
    let isServerHost = name == Self.portal && url.origin == URLParts(origin(ofHost: Self.server))?.origin
    guard isOwnHost || isServerHost else { return nil }
    return url.origin + context.map { "/\($0)" }.joined()
  }

  /// The root of the server called at this host under `context`, spelt like ``federatedRoot(of:)`` spells it.
  func serverRoot(_ context: String) -> String { (URLParts(origin)?.origin ?? origin) + context }
}
