import HTTP

/// One row of the route table.
final class Route: Sendable {
  typealias Handler = @Sendable (Call) async throws -> Response

  /// Who reads the answer, which decides how errors look.
  enum Audience: Sendable {
    case people
    case apps
  }

  let method: Method
  /// Segments; one that begins with `:` matches any text and names it, and `*` at the end any number of them.
  let pattern: [Substring]
  let audience: Audience
  /// Whether web pages of registered apps may read the answers (``CrossOrigin``).
  let isForPages: Bool
  /// What the log calls it: `GET /connect/:connection`.
  let text: String
  let handle: Handler

  private init(
    _ method: Method, _ pattern: String, _ audience: Audience, isForPages: Bool = false, _ handle: @escaping Handler
  ) {
    self.isForPages = isForPages
    self.method = method
    self.pattern = Substring(pattern).split(separator: "/")
    self.audience = audience
    text = "\(method.name) \(pattern)"
    self.handle = handle
  }

  /// A page: errors are shown as pages.
  static func page(_ method: Method, _ pattern: String, _ handle: @escaping Handler) -> Route {
    Route(method, pattern, .people, handle)
  }

  /// An endpoint for apps: errors are JSON.
  static func api(_ method: Method, _ pattern: String, _ handle: @escaping Handler) -> Route {
    Route(method, pattern, .apps, handle)
  }

  /// An endpoint for apps and for their web pages, which call it from other origins.
  static func shared(_ method: Method, _ pattern: String, _ handle: @escaping Handler) -> Route {
    Route(method, pattern, .apps, isForPages: true, handle)
  }

  var isLiteral: Bool { !pattern.contains { $0.hasPrefix(":") || $0.hasPrefix("*") } }

  /// The named segments, or `nil` when the path is another one.
  func match(_ path: [Substring]) -> [String: String]? {
    let isOpen = pattern.last?.hasPrefix("*") ?? false
    guard isOpen ? path.count >= pattern.count - 1 : path.count == pattern.count else { return nil }
    var named: [String: String] = [:]
    for (expected, segment) in zip(pattern, path) {
      if expected.hasPrefix(":") {
        named[String(expected.dropFirst())] = String(segment)
      } else if expected != segment && !expected.hasPrefix("*") {
        return nil
      }
    }
    return named
  }
}

/// The routes, looked up by path.
struct RouteTable: Sendable {
  private let literal: [String: [Route]]
  private let patterns: [Route]

  init(_ routes: [Route]) {
    literal = Dictionary(grouping: routes.filter(\.isLiteral)) { "/" + $0.pattern.joined(separator: "/") }
    patterns = routes.filter { !$0.isLiteral }
  }

  enum Match {
    case found(Route, [String: String])
    /// The path exists, for other methods.
    case otherMethods([Method], Route.Audience)
    case nothing
  }

  /// The methods by which web pages of apps may call a path.
  func methodsForPages(_ path: String) -> [Method] {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let routes = literal[path] ?? patterns.filter { $0.match(Array(segments)) != nil }
    return routes.filter(\.isForPages).map(\.method)
  }

  func match(_ method: Method, _ path: String) -> Match {
    // A HEAD is answered as the GET whose body the server leaves out.
    let method = method == .head ? .get : method
    if let routes = literal[path] {
      // Most requests come by here, so nothing is made for them on the way.
      for route in routes where route.method == method { return .found(route, [:]) }
      return choose(routes.map { ($0, [:]) }, method)
    }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    return choose(patterns.compactMap { route in route.match(Array(segments)).map { (route, $0) } }, method)
  }

  private func choose(_ candidates: [(Route, [String: String])], _ method: Method) -> Match {
    if let (route, segments) = candidates.first(where: { $0.0.method == method }) { return .found(route, segments) }
    guard let first = candidates.first else { return .nothing }
    return .otherMethods(candidates.map(\.0.method), first.0.audience)
  }
}
