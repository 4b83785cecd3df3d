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

  /// Makes sure that a portal which `scope` names is one of people's own sign-ins for a person, and the service's own for
  /// an app that acts for itself.
  ///
  /// - Throws: `Refusal` `invalid_scope`.
  func checkPortal(of scope: Scope, hasPerson: Bool) async throws {
    guard let id = scope.arcGISConnections.first else { return }
    let found = try await knownConnections.all(in: store).first { $0.id == id }
    guard let found, found.kind.isPortal else {
      throw Refusal(.invalidScope, "The connection \(id) is not there, or is no ArcGIS portal.")
    }
    guard found.kind.isServiceOwned != hasPerson else {
      let text =
        hasPerson
        ? "The portal of \(id) has no people: apps sign in to it with their secret."
        : "Behind the portal of \(id) are people's own sign-ins, and none of an app."
      throw Refusal(.invalidScope, text)
    }
  }
}
