internal import Domain

/// The address of an ArcGIS portal, made from whatever page of it somebody copied.
///
/// The scheme and host are lower case, a default port is left out, the web adaptor's path keeps its case (rest-js
/// `clean-url`, `federation-utils`).
struct PortalAddress: Equatable {
  /// The portal's root, for example `https://gis.example.org/portal`; no slash at the end.
  let root: String
  let url: ResourceURL

  /// Reads the home page, `/home/…`, `/sharing/rest/…`, `/apps/…` or the root, with or without scheme, query, fragment.
  ///
  /// `nil` when `typed` is no http or https URL.
  init?(_ typed: String) {
    guard let url = Self.url(from: typed) else { return nil }
    let context = Self.context(of: url.path.split(separator: "/").map(String.init))
    let root = ([Self.origin(of: url)] + context).joined(separator: "/")
    guard let rootURL = ResourceURL(root) else { return nil }
    self.root = root
    self.url = rootURL
  }

  /// Whether this is a portal of ArcGIS Online rather than one of an organisation's own.
  var isOnline: Bool { OnlineEnvironment(host: url.host) != nil }

  /// The roots to try, best guess first: an Enterprise portal typed by its host alone usually stands at `/portal`.
  var candidates: [String] {
    guard url.path == "/", !isOnline else { return [root] }
    return [root, root + (url.port == 7443 ? "/arcgis" : "/portal")]
  }

  /// ArcGIS Online is reached by https alone, and not by its bare domain.
  private static func origin(of url: ResourceURL) -> String {
    guard OnlineEnvironment(host: url.host) != nil, [80, 443].contains(url.port) else { return url.origin }
    return "https://" + (url.host == "arcgis.com" ? "www.arcgis.com" : url.host)
  }

  private static func url(from typed: String) -> ResourceURL? {
    let trimmed = typed.trimmed
    let page = trimmed.prefix { $0 != "#" && $0 != "?" }
    return ResourceURL(page.contains("://") ? String(page) : "https://\(page)")
  }

  /// The segments before the first one that belongs to the portal itself.
  ///
  /// `sharing` decides before the others, because a web adaptor may be called `home`.
  private static func context(of segments: [String]) -> [String] {
    if let end = segments.firstIndex(of: "sharing") { return Array(segments[..<end]) }
    let own: Set = ["home", "apps", "portaladmin", "portalhelp", "signin", "manager"]
    let end = segments.firstIndex { own.contains($0.lowercased()) || $0.hasSuffix(".html") } ?? segments.count
    return Array(segments[..<end])
  }
}

/// The installations that share the domain arcgis.com; tokens of one are unknown to the others.
enum OnlineEnvironment: Equatable {
  case production
  case quality
  case development

  /// `nil` when `host` is not below arcgis.com.
  init?(host: String) {
    guard host == "arcgis.com" || host.hasSuffix(".arcgis.com") else { return nil }
    // Esri names the label above arcgis.com; those before it are an organisation's choice (rest-js).
    let label = host.split(separator: ".").dropLast(2).last ?? "www"
    self = label.contains("dev") ? .development : label.contains("qa") ? .quality : .production
  }
}

extension String {
  /// Without white space at both ends, which copying likes to add.
  var trimmed: String {
    let space: Set<Character> = [" ", "\t", "\n", "\r", "\r\n", "\u{A0}"]
    let start = drop { space.contains($0) }
    guard let last = start.lastIndex(where: { !space.contains($0) }) else { return "" }
    return String(start[...last])
  }
}
