public import Domain

extension Installation {
  /// Gatehouse as the ArcGIS portal of the connection `id`, or of the one at the root when that is `nil`; `nil` when there
  /// is none.
  public func arcGISFace(_ id: ConnectionID?) async throws -> ArcGISFace? {
    guard let wanted = id ?? rootPortal,
      let found = try await knownConnections.all(in: store).first(where: { $0.id == wanted }), !found.isDisabled
    else { return nil }
    return ArcGISFace(found, at: id.map { "\(issuer)/\($0)" } ?? issuer)
  }
}
