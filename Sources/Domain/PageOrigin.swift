/// Where a page of an app runs, as a browser names it in the field `Origin` (RFC 6454 §6.1).
public struct PageOrigin: Sendable, Hashable {
  private let text: String

  /// Takes `scheme://host[:port]`; `nil` for anything else, also for `null`.
  ///
  /// On a loopback address the port does not count, as for redirect URIs (RFC 8252 §7.3).
  public init?(_ field: String) {
    guard let url = ResourceURL(field), url.origin == field, url.isHTTPS || url.isLoopback else { return nil }
    self.init(url)
  }

  fileprivate init(_ url: ResourceURL) {
    text = url.isLoopbackAddress && !url.isHTTPS ? "http://\(url.host)" : url.origin
  }
}

extension RedirectURI {
  /// Where the page behind it runs; `nil` for the private-use scheme of a native app.
  public var pageOrigin: PageOrigin? { ResourceURL(text).map(PageOrigin.init) }
}

extension Client {
  /// Whether one of its pages runs at `origin`, by its redirect URIs.
  public func runs(at origin: PageOrigin) -> Bool { redirectURIs.contains { $0.pageOrigin == origin } }
}
