internal import Domain
internal import HTTP
internal import HTTPClient
internal import JSON

/// What one answer tells a probe.
enum Sight: Equatable {
  case challenge(Challenge)
  /// An ArcGIS server wants a token.
  case arcGIS
  /// It is somewhere else of the same origin.
  case redirect(ResourceURL)
  /// HTML, which ArcGIS servers send to whoever does not ask for JSON.
  case page

  /// Pure: reads an answer of `url`, which was asked with credentials for the layers `shown`.
  init(
    _ answer: OutboundResponse, at url: ResourceURL, _ identityProviders: Set<String>,
    showing shown: Set<ChallengeLayer> = []
  ) {
    let status = answer.status.code
    if (300...399).contains(status), let location = answer.headers["location"] {
      self = Self.redirected(to: location, from: url, identityProviders)
    } else if status == 401 || status == 407, let network = Self.authentication(answer.headers) {
      self = .challenge(network)
    } else if let json = PortalAnswer.json(answer.body), json.object != nil {
      self = Self.read(json, status: status, isKnown: shown.contains(.service))
    } else if let authorities = answer.handshake?.clientAuthorities, [400, 403, 495, 496].contains(status) {
      // Servers that ask for a certificate and do without one say on a page that it was needed after all.
      self = .challenge(.network(.clientCertificate(authorities: authorities.map(LogText.line))))
    } else if status == 403, !shown.isEmpty {
      self = .challenge(.forbidden)
    } else if Self.isPage(answer), (200...299).contains(status) || status == 401 || status == 403 {
      self = .page
    } else if (200...299).contains(status) {
      self = .challenge(.none)
    } else {
      self = .challenge(.unknown("It answers with status \(status), which names nothing that could be sent."))
    }
  }

  /// The offers of a 401; `nil` when there are none at all.
  private static func authentication(_ headers: Headers) -> Challenge? {
    let offers = headers.authenticationOffers
    if !offers.isEmpty { return .network(.authentication(offers)) }
    if let bearer = headers.challenges.first(where: { $0.scheme == "bearer" }) {
      return .accessToken(realm: bearer.parameters["realm"].map(LogText.line))
    }
    let others = headers.challenges.map { LogText.line($0.scheme) }
    return others.isEmpty
      ? nil : .unknown("It asks for HTTP authentication of another kind: \(others.joined(separator: ", ")).")
  }

  /// ArcGIS reports what it wants in the body, mostly under status 200.
  ///
  /// `isKnown` is whether it was shown whose request it is.
  private static func read(_ json: JSONValue, status: Int, isKnown: Bool) -> Sight {
    guard let error = PortalError(in: json) else {
      if (200...299).contains(status) { return .challenge(.none) }
      return .challenge(.unknown("It answers with status \(status), which names nothing that could be sent."))
    }
    if isKnown, error.code == 403 { return .challenge(.forbidden) }
    // Without a token, 401 and 403 mean that there was none.
    if let code = error.code, [498, 499, 401, 403].contains(code) { return .arcGIS }
    let label = error.code.map { "error \($0)" } ?? "an error"
    return .challenge(.unknown("It answers with \(label): \(error.text)"))
  }

  private static func isPage(_ answer: OutboundResponse) -> Bool {
    if let type = answer.headers.contentType {
      return type.essence == "text/html" || type.essence == "application/xhtml+xml"
    }
    return answer.body.first { $0 > 0x20 } == UInt8(ascii: "<")
  }
}

// MARK: - Redirects

extension Sight {
  private static func redirected(
    to location: String, from url: ResourceURL, _ identityProviders: Set<String>
  ) -> Sight {
    let reference = String(location.prefix { $0 != "#" })
    guard let place = absolute(reference, from: url), let target = ResourceURL(origin(of: place) + "/") else {
      return .challenge(.unknown("It redirects to an address that cannot be read."))
    }
    if let portal = portal(asking: place) {
      return .challenge(.arcGIS(ArcGISChallenge(portal: portal, tokenService: nil)))
    }
    // A provider that redirects within itself is not in front of itself.
    if target.origin != url.origin, isSignIn(place, at: target.host, identityProviders) {
      return .challenge(.identityAwareProxy(host: target.host))
    }
    guard let next = ResourceURL(place), next.origin == url.origin else {
      return .challenge(.unknown("It redirects to \(target.origin), which was not asked."))
    }
    return .redirect(next)
  }

  /// Resolves a reference (RFC 3986 §5.2), all but dot segments, which ``ResourceURL`` refuses.
  private static func absolute(_ reference: String, from url: ResourceURL) -> String? {
    if reference.isEmpty { return nil }
    if reference.hasPrefix("//") { return (url.isHTTPS ? "https:" : "http:") + reference }
    if reference.hasPrefix("/") { return url.origin + reference }
    if reference.hasPrefix("?") { return url.withoutQuery + reference }
    let beforeQuery = reference.prefix { $0 != "?" }
    if beforeQuery.contains(":") { return beforeQuery.contains("://") ? reference : nil }
    let folder = url.path.lastIndex(of: "/").map { url.path[...$0] } ?? "/"
    return url.origin + folder + reference
  }

  /// `scheme://host:port` as written.
  private static func origin(of url: String) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return url }
    return String(url[..<start] + url[start...].prefix { $0 != "/" && $0 != "?" })
  }

  /// The portal whose own sign-in page the redirect leads to.
  private static func portal(asking url: String) -> String? {
    let path = url.prefix { $0 != "?" }
    let isAuthorize = ["/sharing/rest/oauth2/authorize", "/sharing/oauth2/authorize"].contains { path.hasSuffix($0) }
    return isAuthorize ? PortalAddress(String(path))?.root : nil
  }

  /// Whether a redirect leads to people's sign-in at an identity provider.
  private static func isSignIn(_ url: String, at host: String, _ identityProviders: Set<String>) -> Bool {
    if identityProviders.contains(host) || host.hasPrefix("login.microsoftonline.") { return true }
    let items = url.split(separator: "?", maxSplits: 1).dropFirst().joined().split(separator: "&")
    let has: (String) -> Bool = { start in items.contains { $0.hasPrefix(start) } }
    // What Microsoft Entra Application Proxy writes into `state`; else an OAuth or a SAML request.
    return has("state=AppProxyState") || has("client_id=") && has("response_type=") || has("SAMLRequest=")
  }
}
