internal import Domain
internal import HTTP

/// What stands in front of a portal and lets no stranger see it, as far as an administrator made connections of that.
public struct LayersInFront: Sendable {
  private let hasProxy: Bool
  private let hasNetwork: Bool
  /// Whether people hold what the layers ask for, or the service alone acts, which nobody lets through.
  private let isPassable: Bool

  public init(hasProxy: Bool, hasNetwork: Bool) {
    self.hasProxy = hasProxy
    self.hasNetwork = hasNetwork
    isPassable = true
  }

  private init() {
    (hasProxy, hasNetwork, isPassable) = (false, false, false)
  }

  /// For what acts for no person.
  static let impassable = LayersInFront()

  /// Whether `reply`, to somebody unknown, is a layer's own, so that nothing of the portal at `origin` can be seen.
  ///
  /// - Throws: `misconfigured` where the layer cannot be passed, with what to do about it.
  func hide(_ origin: String, in reply: Reply) throws(UpstreamFailure) -> Bool {
    if (300...399).contains(reply.status), let target = reply.headers["location"], OAuthUser.isAppProxy(target) {
      return try isKnown(hasProxy, "\(origin) stands behind Microsoft Entra Application Proxy")
    }
    guard reply.status == 401, reply.headers["www-authenticate"] != nil else { return false }
    return try isKnown(hasNetwork, "The web server of \(origin) asks for a sign-in of its own (status 401)")
  }

  private func isKnown(_ isKnown: Bool, _ finding: String) throws(UpstreamFailure) -> Bool {
    guard isPassable else {
      throw .misconfigured(
        "\(finding), which lets people through and nothing that acts for none: enter an address at which Gatehouse "
          + "reaches the portal without it, or let people connect the portal themselves (oauthUser, token).")
    }
    guard isKnown else { throw .misconfigured("\(finding): make a connection of that first.") }
    return true
  }
}
