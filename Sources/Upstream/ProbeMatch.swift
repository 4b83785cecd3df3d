public import Domain

extension Connection {
  /// Whether the connection's credentials satisfy `challenge`, wherever they are sent.
  public func meets(_ challenge: Challenge) -> Bool {
    guard challenge.kinds.contains(kind) else { return false }
    return switch challenge {
    case .arcGIS(let wanted): wanted.portal.map(isOwner) ?? (portal.tokenURL == wanted.tokenService)
    case .identityAwareProxy(let host): host == self.host
    case .accessToken, .none, .network, .forbidden, .unknown: true
    }
  }
}
