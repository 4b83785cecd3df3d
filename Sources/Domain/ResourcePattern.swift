/// Which URLs a connection covers: a URL prefix on whole path segments, or every path of hosts by name.
public struct ResourcePattern: Sendable, Hashable {
  private enum Form: Hashable {
    case prefix(origin: String, path: String)
    /// `*.example.com`: one or more labels below, never the name itself.
    case hostsBelow(String)
    case host(String)
    case everyHost
  }

  private let form: Form
  /// The canonical text, as shown and stored.
  public let text: String

  /// Parses a URL prefix (`https://host/path`) or a host pattern (`host`, `*.host`); `nil` when it is neither.
  public init?(_ text: String) { self.init(text, allowsEveryHost: false) }

  /// Whether it names hosts, and no place on one.
  public var isOfHosts: Bool { if case .prefix = form { false } else { true } }

  /// Parses what ``init(_:)`` does, and `*`.
  ///
  /// `*` is every host, which nobody shall get by a slip: it is read only where `allowsEveryHost` says so.
  public init?(_ text: String, allowsEveryHost: Bool) {
    if text == "*", allowsEveryHost {
      form = .everyHost
      self.text = text
      return
    }
    if text.contains("://") {
      guard let url = ResourceURL(text), !text.contains("?"), !url.path.contains("//"), !url.path.contains("*")
      else { return nil }
      let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
      form = .prefix(origin: url.origin, path: path)
      self.text = url.origin + path
      return
    }
    let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
    // Only a host and nothing else: a path behind it would otherwise be taken for every path.
    guard let url = ResourceURL("https://\(name)/"), url.host.utf8.elementsEqual(name.lowercased().utf8) else {
      return nil
    }
    if text.hasPrefix("*.") {
      guard !url.isAddress else { return nil }
      form = .hostsBelow(url.host)
    } else {
      form = .host(url.host)
    }
    self.text = text.lowercased()
  }

  /// What every URL that it covers begins with; `nil` when there are several hosts.
  var base: String? {
    switch form {
    case .prefix: text
    case .host(let host): "https://\(host)"
    case .hostsBelow, .everyHost: nil
    }
  }

  /// Whether `other` covers every URL that this one does.
  public func isWithin(_ other: ResourcePattern) -> Bool {
    switch (form, other.form) {
    case (.everyHost, .everyHost), (.hostsBelow, .everyHost): return true
    case (.hostsBelow(let parent), .hostsBelow(let above)): return parent == above || parent.hasSuffix("." + above)
    default: return base.flatMap { ResourceURL($0) }.map(other.covers) ?? false
    }
  }

  public func covers(_ url: ResourceURL) -> Bool { specificity(for: url) != nil }

  /// Whether it covers anything at the scheme, host and port of `url`.
  func isAt(_ url: ResourceURL) -> Bool {
    if case .prefix(let origin, _) = form { return url.origin == origin }
    return covers(url)
  }

  /// How specifically the pattern covers `url`: larger is more specific, `nil` is not at all.
  ///
  /// A prefix beats any host pattern, an exact host beats a wildcard, and longer beats shorter; `*` comes last.
  public func specificity(for url: ResourceURL) -> Int? {
    switch form {
    case .prefix(let origin, let path):
      return url.origin == origin && url.isWithin(path) ? 200_000 + path.utf8.count : nil
    case .host(let host):
      return url.isHTTPS && url.host == host && url.port == 443 ? 100_000 + host.utf8.count : nil
    case .hostsBelow(let parent):
      return url.isHTTPS && url.host.hasSuffix("." + parent) && url.port == 443 ? parent.utf8.count : nil
    case .everyHost:
      return url.isHTTPS && url.port == 443 ? 0 : nil
    }
  }
}

extension Connection {
  /// Whether the connections cover the same URLs equally well, so that nothing tells which is meant: a person's own goes
  /// before the service's, and one layer stands in front of another.
  public func overlaps(_ other: Connection) -> Bool {
    id != other.id && kind.isServiceOwned == other.kind.isServiceOwned && kind.layer == other.kind.layer
      && resources.contains(where: other.resources.contains)
  }

  /// The application proxy among `connections` that the service of this one stands behind; none is behind another.
  ///
  /// Nobody signs in to Gatehouse with such a connection: to redeem a code there takes the person's token for the proxy.
  public func proxy(among connections: [Connection]) -> Connection? {
    guard kind != .iap, let url = ResourceURL(origin) else { return nil }
    return Connection.covering(url, among: connections.filter { $0.kind == .iap && !$0.isDisabled })?.0
  }

  /// The connection that covers `url` most specifically, with the pattern that did.
  ///
  /// Of several that cover it equally well, the only one that `isMeant` is chosen; when that does not tell them apart,
  /// the only one that people connect, so that the service's own never hides theirs; else none is. One that covers it
  /// less well is never chosen instead.
  public static func covering(
    _ url: ResourceURL, among connections: [Connection], where isMeant: (Connection) -> Bool = { _ in true }
  ) -> (Connection, ResourcePattern)? {
    var best: [(connection: Connection, pattern: ResourcePattern)] = []
    var highest = -1
    for connection in connections {
      for pattern in connection.resources {
        guard let score = pattern.specificity(for: url), score >= highest else { continue }
        if score > highest { best = [] }
        highest = score
        if best.last?.connection.id != connection.id { best.append((connection, pattern)) }
      }
    }
    if best.count > 1 { best.removeAll { !isMeant($0.connection) } }
    if best.count > 1 { best.removeAll { $0.connection.kind.isServiceOwned } }
    return best.count == 1 ? best[0] : nil
  }
}

extension Sequence<ResourcePattern> {
  /// Whether any of them covers `url`.
  public func cover(_ url: ResourceURL) -> Bool { contains { $0.covers(url) } }
}
