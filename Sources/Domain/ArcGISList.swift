/// A list that ArcGIS answers: of services, or of items.
public struct ArcGISList: Sendable, Equatable {
  public enum Form: Sendable, Equatable {
    /// A directory of services; below ``root`` in a folder, as the URL writes it, or in none.
    case services(folder: String?)
    /// A search, or the content of a user or a group.
    case items
  }

  public let form: Form
  /// What the URLs of its entries begin with: `…/rest/services`, or `…/sharing/rest`.
  public let root: String

  /// `nil` when no list is at `url`, as far as its path tells.
  public init?(_ url: ResourceURL) {
    // Servlet containers ignore what follows a semicolon, and a segment of nothing else.
    let segments = url.path.split(separator: "/").filter { $0.first != ";" }
    let names = segments.map { $0.prefix { $0 != ";" }.lowercased() }
    if let sharing = names.firstIndex(of: "sharing") {
      var start = sharing + 1
      if start < names.count, names[start] == "rest" { start += 1 }
      guard Self.isOfItems(names[start...]) else { return nil }
      form = .items
      root = url.origin + segments[..<sharing].map { "/" + $0 }.joined() + "/sharing/rest"
      return
    }
    let rest = names.indices.first { names[$0] == "rest" && $0 + 1 < names.count && names[$0 + 1] == "services" }
    guard let rest, !names[(rest + 2)...].contains(where: { $0.hasSuffix("server") }) else { return nil }
    let folder = segments[(rest + 2)...].joined(separator: "/")
    form = .services(folder: folder.isEmpty ? nil : folder)
    root = url.origin + segments[...(rest + 1)].map { "/" + $0 }.joined()
  }

  private static func isOfItems(_ path: ArraySlice<String>) -> Bool {
    let path = Array(path)
    if path.first == "search" { return true }
    guard path.count >= 3, path[0] == "content" else { return false }
    // Of an item, which stands by itself, with its owner, or in a folder there.
    if path.last == "relateditems", path.dropLast(2).last == "items" { return true }
    switch path[1] {
    case "groups": return true
    // Beside what can be done there, its folders.
    case "users": return path.count == 3 || path.count == 4 && (path[3] == "root" || isID(path[3]))
    default: return false
    }
  }

  private static func isID(_ name: String) -> Bool { name.utf8.count == 32 && name.allSatisfy(\.isHexDigit) }
}

/// A list of which an API key sees only what is for it.
public struct KeyedList: Sendable, Equatable {
  public let list: ArcGISList
  /// What the key reaches.
  public let resources: [ResourcePattern]

  /// Whether the key reaches an entry at `url`.
  public func holds(_ url: String) -> Bool {
    guard let url = ResourceURL(url) else { return false }
    return resources.cover(url)
  }

  /// Whether something that the key reaches is at `url` or below it.
  public func leads(through url: String) -> Bool {
    holds(url) || ResourcePattern(url).map { place in resources.contains { $0.isWithin(place) } } ?? false
  }
}

extension APIKeyScope {
  /// The list at `url` as the key sees it; `nil` when no list is there, and when all that can be in it is the key's.
  public func list(at url: ResourceURL) -> KeyedList? {
    guard !resources.isEmpty, let list = ArcGISList(url) else { return nil }
    let keyed = KeyedList(list: list, resources: resources)
    let isWhole =
      switch list.form {
      case .services: keyed.holds(url.withoutQuery)
      case .items: keyed.holds(list.root + "/content/items/0") && keyed.holds(list.root + "/content/users/0/items/0")
      }
    return isWhole ? nil : keyed
  }

  /// Whether `url` is the key's, or a directory of services on the way to something that is.
  func reaches(_ url: ResourceURL) -> Bool {
    if resources.isEmpty || resources.cover(url) { return true }
    guard let keyed = list(at: url), case .services = keyed.list.form else { return false }
    return keyed.leads(through: url.withoutQuery)
  }
}
