import Domain
public import Flows
public import HTTP
import Logging
public import Pages

/// The whole web application: one request in, one response out.
///
/// Nothing here knows about sockets, so tests call ``respond(to:)`` directly.
public struct App: Sendable {
  private let here: Installation
  private let external: ExternalURL
  private let routes: RouteTable
  private let headers: SecurityHeaders
  private let errors: ErrorAnswers
  private let errorPages: ErrorPages
  private let crossOrigin: CrossOrigin

  /// Joins the routes; `external` must be the same URL as the installation's issuer.
  public init(
    _ here: Installation, external: ExternalURL, pages: PageLibrary, look: Look,
    published: PublishedAddresses = PublishedAddresses()
  ) {
    var desk = Desk(here: here, external: external, cookies: CookieNames(external), pages: pages, look: look)
    desk.published = published
    self.here = here
    self.external = external
    headers = SecurityHeaders(external)
    errors = ErrorAnswers(here)
    errorPages = ErrorPages(desk)
    crossOrigin = CrossOrigin(here)
    routes = RouteTable(Self.routes(desk))
  }

  /// Answers `request`.
  ///
  /// Never throws: every error becomes a response here and nowhere else.
  public func respond(to request: consuming Request) async -> Response {
    let requestID = RequestID.of(request)
    var response: Response
    if let refusal = refusal(ofWay: request) {
      response = refusal
    } else {
      response = await answer(Call(request: request, segments: [:], requestID: requestID))
    }
    headers.add(to: &response, requestID: requestID)
    return response
  }

  /// The answer to every `GET /health/live`: it says the same always, so that it need not be made for each request.
  public var alive: (path: String, response: Response) {
    (external.basePath + "/health/live", secured(HealthEndpoint.alive))
  }

  /// The path below which requests are answered while their bodies come.
  public var proxyPath: String { external.basePath + Connection.proxyRoot }

  /// Adds the headers that every answer carries to one that was made elsewhere, such as a static file.
  public func secured(_ response: Response) -> Response {
    var response = response
    headers.add(to: &response)
    return response
  }

  /// The answer to a request that was sent to another host, or by a way that may not be used.
  private func refusal(ofWay request: borrowing Request) -> Response? {
    let (status, reason): (Status, String)
    if !external.accepts(request) {
      (status, reason) = (421, "This address is not the one Gatehouse is configured for. Open \(external.text).")
    } else if external.isDetour(request.headers) {
      (status, reason) = (
        421, "\(external.text) is for this machine only. Behind a proxy, Gatehouse needs an https address."
      )
    } else if external.isExposed(request) {
      (status, reason) = (
        403, "Nothing is taken over plain http: use \(external.text). A proxy in front has to be trusted."
      )
    } else {
      return nil
    }
    if isForApps(request.path) {
      return .json(status, errors.body(Refusal(.invalidRequest, reason)))
    }
    return Response(
      status: status, headers: ["content-type": "text/plain; charset=utf-8"],
      body: .bytes(Array("\(reason)\n".utf8)))
  }

  /// Whether apps and not people ask there, also below the path of another installation.
  private func isForApps(_ path: String) -> Bool {
    let own = path.hasPrefix(external.basePath) ? path.dropFirst(external.basePath.count) : path[...]
    return ["/v1/", "/oauth2/", "/.well-known/", BackchannelLogoutEndpoint.path("")].contains { own.hasPrefix($0) }
  }

  /// Inlined, because every call that may suspend costs a look at the task's executor when it returns.
  @inline(__always) private func answer(_ call: consuming Call) async -> Response {
    guard let path = ownPath(call.request) else {
      let refusal = Refusal(.notFound, "There is nothing here. Gatehouse is at \(external.text).")
      return isForApps(call.request.path) ? errors.json(refusal, call) : errorPages.page(for: refusal, call)
    }
    if call.request.method == .options, let response = await preflight(path, call) { return response }
    switch routes.match(call.request.method, path) {
    case .found(let route, let segments):
      call.segments = segments
      call.route = route
      if route.isForPages, call.request.headers["origin"] != nil { return await answerPage(route, call) }
      do {
        return try await route.handle(call)
      } catch { return await failure(error, route, call) }
    case .otherMethods(let methods, let audience):
      return notAllowed(methods, audience, call)
    case .nothing:
      let refusal = Refusal(.notFound, "There is nothing at this path.")
      return isForApps(call.request.path) ? errors.json(refusal, call) : errorPages.page(for: refusal, call)
    }
  }

  /// Tells a browser whether a page elsewhere may call `path`; `nil` when it asks nothing, or may not.
  private func preflight(_ path: String, _ call: Call) async -> Response? {
    guard call.request.headers["access-control-request-method"] != nil else { return nil }
    let methods = routes.methodsForPages(path)
    guard !methods.isEmpty else { return nil }
    do { return try await crossOrigin.preflight(call, methods: methods) } catch {
      return answer(Refusal(fault: error), .apps, call)
    }
  }

  /// Answers a request that a page elsewhere sent, and lets the page read the answer if it is a registered app's.
  private func answerPage(_ route: Route, _ call: Call) async -> Response {
    do {
      var response = await settled(route, call)
      try await crossOrigin.share(&response, call)
      return response
    } catch { return await failure(error, route, call) }
  }

  private func settled(_ route: Route, _ call: Call) async -> Response {
    do { return try await route.handle(call) } catch { return await failure(error, route, call) }
  }

  /// The path below the external URL's own path; metadata of an issuer with a path also stands before it (RFC 8414 §3,
  /// RFC 9728 §3).
  ///
  /// Nothing of ours has an escape in its path: an escaped spelling could pass a proxy that keeps a path to itself. Only
  /// what our own proxy passes on may have some, and is given as it was sent.
  private func ownPath(_ request: Request) -> String? {
    let path = request.path
    guard request.target.hasPrefix(path) else {
      guard request.target.hasPrefix(external.basePath) else { return nil }
      let raw = String(request.target.prefix { $0 != "?" }.dropFirst(external.basePath.count))
      return raw.hasPrefix(Connection.proxyRoot) || Self.isPassedOn(raw) ? raw : nil
    }
    if external.basePath.isEmpty { return path }
    if path == external.basePath { return "/" }
    if path.hasPrefix(external.basePath + "/") { return String(path.dropFirst(external.basePath.count)) }
    guard path.hasPrefix("/.well-known/") else { return nil }
    if path.hasSuffix(external.basePath) { return String(path.dropLast(external.basePath.count)) }
    return Self.rootDocuments.contains(path) ? path : nil
  }

  /// Whether a target, of which nothing was checked, may be one of an ArcGIS portal.
  func isPortal(_ target: String) -> Bool {
    var path = target.prefix { $0 != "?" }
    if !path.hasPrefix("/"), let mark = path.firstRange(of: "://") {
      path = path[mark.upperBound...].drop { $0 != "/" }
    }
    return path.hasPrefix(external.basePath + "/") && Self.isPassedOn(String(path.dropFirst(external.basePath.count)))
  }

  /// Lets the page at `origin` read what answers nobody known, if it is a registered app's.
  func share(_ response: inout Response, with origin: String) async {
    do { try await crossOrigin.share(&response, with: origin) } catch {
      here.log.error("a refusal was not opened to its page", ["error": .string(String(describing: error))])
    }
  }

  /// Whether a path may be one of an ArcGIS portal or its servers, which is passed on with its escapes.
  private static func isPassedOn(_ path: String) -> Bool {
    let segments = path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst()
    return segments.prefix(2).contains { ["sharing", "servers"].contains($0) }
  }

  private func failure(_ error: any Error, _ route: Route, _ call: Call) async -> Response {
    if error is Desk.ForeignForm { return await errorPages.foreignForm(call) }
    if let refusal = error as? Refusal {
      if route.audience == .apps, call.request.headers["authorization"] != nil {
        await errors.recordToken(refusedWith: refusal, call)
      }
      return answer(refusal, route.audience, call)
    }
    here.log.error(
      "a request failed on our side",
      [
        "request": .string(call.requestID), "path": .string(call.request.path),
        "error": .string(String(describing: error)),
      ])
    return answer(Refusal(fault: error), route.audience, call)
  }

  private func answer(_ refusal: Refusal, _ audience: Route.Audience, _ call: Call) -> Response {
    switch audience {
    case .apps: errors.json(refusal, call)
    case .people: errorPages.page(for: refusal, call)
    }
  }

  private func notAllowed(_ methods: [Method], _ audience: Route.Audience, _ call: Call) -> Response {
    var names = methods.map(\.name)
    if names.contains("GET") { names.append("HEAD") }
    let refusal = Refusal(.invalidRequest, "This path answers \(names.joined(separator: ", ")) only.")
    let isPortal = ownPath(call.request).map(Self.isPassedOn) ?? false
    var response = isPortal ? ArcGISError(refusal).response(.json) : answer(refusal, audience, call)
    response.status = .methodNotAllowed
    if let allow = FieldValue(names.joined(separator: ", ")) { response.headers.set("allow", allow) }
    return response
  }
}
