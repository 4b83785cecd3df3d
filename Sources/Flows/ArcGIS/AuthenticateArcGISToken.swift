public import Domain

/// Finds out for whom a request to the ArcGIS portal of a connection comes.
public struct AuthenticateArcGISToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Where a request comes from, as it says.
  public struct Sender: Sendable {
    /// Its `Referer`.
    public let referer: String?
    /// The origin of the page that sent it, where a browser says that.
    public let origin: String?

    public init(referer: String?, origin: String?) {
      self.referer = referer
      self.origin = origin
    }
  }

  /// The caller that `text` stands for: a token that was given for this portal, or an API key.
  ///
  /// - Throws: `Refusal` `invalid_token` for one that does not count here, whatever the reason.
  public func callAsFunction(
    _ text: String, for face: ArcGISFace, from sender: Sender, _ visitor: Visitor
  ) async throws -> VendCaller {
    if AuthenticateAPIKey.isMeant(by: text) {
      let shown = AuthenticateAPIKey.Shown(text, referrer: sender.referer, address: visitor.origin.address)
      return .key(try await AuthenticateAPIKey(here)(shown, visitor).key)
    }
    guard let claims = here.verify(text, at: here.clock.now()), claims.portal == face.connection.id else {
      throw Refusal.endedToken
    }
    guard claims.binding.map({ $0.holds(sender, visitor) }) ?? true else { throw Self.fromElsewhere }
    guard try await here.isLive(claims) else { throw Refusal.endedToken }
    return .token(claims)
  }

  private static let fromElsewhere = Refusal(
    .invalidToken, "The token is bound to the Referer or the address that it was asked for with, and this is another.")
}

extension TokenBinding {
  fileprivate func holds(_ sender: AuthenticateArcGISToken.Sender, _ visitor: Visitor) -> Bool {
    switch self {
    case .referer(let page): sender.isAt(page)
    case .address(let address): visitor.origin.address == address
    case .dpop, .certificate: false
    }
  }
}

extension AuthenticateArcGISToken.Sender {
  /// Whether it names `page`, or one below it.
  fileprivate func isAt(_ page: String) -> Bool {
    if origin == page || referer == page { return true }
    // Some clients name the host alone.
    if !page.contains("/"), let place = referer ?? origin, let url = ResourceURL(place) {
      return url.origin.hasSuffix("://\(page.lowercased())")
    }
    guard let referer, referer.hasPrefix(page) else { return false }
    return page.hasSuffix("/") || "/?#".contains(referer.dropFirst(page.count).first ?? "/")
  }
}
