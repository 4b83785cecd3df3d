public import Domain

extension Connection {
  /// Whether the connection's credentials satisfy `challenge`, wherever they are sent.
  public func meets(_ challenge: Challenge) -> Bool {
    guard challenge.kinds.contains(kind) else { return false }
    if case .arcGIS(let wanted) = challenge { return wanted.portal.map(isOwner) ?? false }
    return true
  }
}
