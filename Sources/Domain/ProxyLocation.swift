/// Where an answer that came through the proxy leads on to (RFC 9110 §10.2.2).
extension Connection {
  /// `reference`, which the answer of `url` names, as the app may read it; `nil` when it is not to be passed on.
  ///
  /// The app reads the answer as ours, so a reference left as it came would lead to us, with the app's token. What the
  /// connection covers becomes a path of the proxy, anything else an absolute URL, and what names `own`, our external
  /// URL, goes.
  public func passedLocation(_ reference: String, from url: ResourceURL, to own: ResourceURL) -> String? {
    let bare = reference.prefix { $0 != "#" }
    let fragment = reference[bare.endIndex...]
    guard reference.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }), let (place, path) = url.resolve(bare)
    else { return nil }
    let text = place.origin + path
    if let covered = ResourceURL(text), resources.cover(covered) {
      let base = own.path.hasSuffix("/") ? own.path.dropLast() : own.path[...]
      return "\(base)\(proxyPath(for: covered))\(fragment)"
    }
    let isOurs = place.origin == own.origin || place.isLoopback && own.isLoopback && place.port == own.port
    return isOurs ? nil : "\(text)\(fragment)"
  }
}

extension ResourceURL {
  /// The origin that `reference` leads to, as a URL, and the path and query there (RFC 3986 §5.2); `nil` for a scheme
  /// that is not http or https, or an authority that can be read in two ways.
  fileprivate func resolve(_ reference: Substring) -> (ResourceURL, path: String)? {
    if reference.hasPrefix("//") { return Self.split("\(isHTTPS ? "https" : "http"):\(reference)") }
    let scheme = reference.prefix { $0 != ":" && $0 != "/" && $0 != "?" }
    if scheme.endIndex < reference.endIndex, reference[scheme.endIndex] == ":" { return Self.split(reference) }
    switch reference.first {
    case nil: return (self, text.part(behind: origin))
    case "/": return (self, Self.withoutDots(reference))
    case "?": return (self, path + reference)
    default:
      let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      return (self, Self.withoutDots(folder + reference))
    }
  }

  /// An absolute URL in two.
  private static func split(_ text: Substring) -> (ResourceURL, path: String)? {
    guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
    let end = text[start...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
    guard let place = ResourceURL("\(text[..<end])/") else { return nil }
    let path = text[end...]
    return (place, path.hasPrefix("/") ? withoutDots(path) : "/\(path)")
  }

  /// Removes the segments `.` and `..` from the path of `target` (RFC 3986 §5.2.4).
  private static func withoutDots(_ target: Substring) -> String {
    let path = target.prefix { $0 != "?" }
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for segment in segments {
      if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
    }
    if segments.last == "." || segments.last == ".." { kept.append("") }
    return "/" + kept.joined(separator: "/") + target[path.endIndex...]
  }
}

extension String {
  /// What stands behind `prefix`, with which it begins.
  fileprivate func part(behind prefix: String) -> String { String(dropFirst(prefix.count)) }
}
