import Domain
import HTTP

/// The cookies of this installation and how they are set (reference: WEB-02).
struct CookieNames: Sendable {
  private let isSecure: Bool

  init(_ external: ExternalURL) { isSecure = external.isHTTPS }

  enum Name: String {
    /// A person's session.
    case session = "gh_s"
    /// An administrator's session.
    case administration = "gh_a"
    /// A browser that has not signed in yet: binds trips to upstreams and forms to it.
    case browser = "gh_b"
    /// A sign-in that waits for its second factor.
    case pending = "gh_f"
    /// Tells a device that signed in before from a stranger.
    case device = "gh_d"
    /// Tells a browser in which somebody signed in before from others, to tell people of sign-ins in new ones.
    case known = "gh_k"
    /// The language that an app asked for.
    case language = "gh_l"
  }

  /// Over https with the `__Host-` prefix; on loopback http without, so that every browser and tool works.
  private func wireName(_ name: Name) -> String { isSecure ? "__Host-\(name.rawValue)" : name.rawValue }

  /// The cookie's value; `nil` also when it stands twice, which only an attacker achieves.
  func value(_ name: Name, in request: Request) -> String? { Cookies(request.headers)[wireName(name)] }

  /// Sets a cookie for `maxAge` seconds; with `nil`, until the browser closes.
  func setting(_ name: Name, to value: Secret, maxAge: Int? = nil) throws -> SetCookie {
    try cookie(name, value.revealedText, maxAge: maxAge)
  }

  func clearing(_ name: Name) throws -> SetCookie { try cookie(name, "", maxAge: 0) }

  private func cookie(_ name: Name, _ value: String, maxAge: Int?) throws -> SetCookie {
    var attributes = SetCookie.Attributes()
    attributes.isSecure = isSecure
    attributes.sameSite = name == .administration ? .strict : .lax
    attributes.maxAge = maxAge
    guard let cookie = SetCookie(wireName(name), value, attributes) else { throw CookieFault(name: name.rawValue) }
    return cookie
  }

  /// A value of ours that cannot stand in a cookie: a fault of the program.
  struct CookieFault: Error { let name: String }
}
