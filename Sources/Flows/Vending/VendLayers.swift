import Domain

/// The connections that a vend for one URL takes together: the service's, and those that stand in front of it.
struct VendLayers: Sendable {
  /// A class, since it is handed on often.
  final class Cover: Sendable {
    let connection: Connection
    /// The pattern of it that covers the URL.
    let pattern: ResourcePattern

    init?(_ found: (Connection, ResourcePattern)?) {
      guard let found else { return nil }
      (connection, pattern) = found
    }
  }

  /// What the client asks for: the service, or the outermost layer where no connection covers what stands behind it.
  let service: Cover
  /// The application proxy in front of it.
  let proxy: Cover?
  /// What opens the network in front of both.
  let network: Cover?

  /// From the outside in.
  var inFront: [Cover] { [network, proxy].compactMap(\.self) }

  /// `nil` when no connection covers the URL, or several do equally well.
  init?(of request: VendRequest, among known: LayeredConnections, _ client: Client) {
    let isMeant: (Connection) -> Bool = { connection in
      !connection.isDisabled && client.permission(for: connection.id) != nil
        && connection.id.text == request.audience ?? connection.id.text
        && (request.account != nil || connection.kind.isServiceOwned)
    }
    func cover(_ connections: [Connection]) -> Cover? {
      connections.isEmpty ? nil : Cover(Connection.covering(request.resource, among: connections, where: isMeant))
    }
    let (inner, middle, outer) = (cover(known.services), cover(known.proxies), cover(known.networks))
    guard let innermost = inner ?? middle ?? outer else { return nil }
    // What stands in front is left out where the client asks for just that.
    let found = [inner, middle, outer]
    let asked = request.audience.flatMap { id in found.lazy.compactMap(\.self).first { $0.connection.id.text == id } }
    let target = asked ?? innermost
    service = target
    // Layers let people through, and nothing that acts for none.
    let isPersonal = !target.connection.kind.isServiceOwned
    func isInFront(_ cover: Cover?) -> Bool {
      guard let cover, isPersonal, !cover.connection.isDisabled else { return false }
      return cover.connection.kind.layer.isOutside(target.connection.kind.layer)
    }
    proxy = isInFront(middle) ? middle : nil
    network = isInFront(outer) ? outer : nil
  }

  /// Why the layers cannot be passed together: there is one `Authorization` field in a request.
  var conflict: Refusal? {
    guard proxy != nil || network != nil else { return nil }
    let taking = ([service] + inFront).filter { $0.connection.kind.takesAuthorization }
    guard taking.count > 1 else { return nil }
    let names = taking.map(\.connection.name).joined(separator: " and ")
    return Refusal(.invalidTarget, "\(names) both want the Authorization header.")
  }
}

extension Connection.Kind {
  /// Whether its credential stands in the `Authorization` field of a request; portals have one of their own.
  fileprivate var takesAuthorization: Bool {
    [.iap, .oidc, .password, .kerberos].contains(self)
  }
}
