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

  /// Of which nobody can say which one stands in front, since they cover the URL equally well.
  private let rivals: [Connection]

  /// From the outside in.
  var inFront: [Cover] { [network, proxy].compactMap(\.self) }

  /// `nil` when no connection covers the URL, or several do equally well.
  init?(of request: VendRequest, among known: LayeredConnections, _ client: Client) {
    let (url, audience) = (request.resource, request.audience)
    let isUsable: (Connection) -> Bool = { connection in
      !connection.isDisabled && client.permission(for: connection.id) != nil
        && (request.account != nil || connection.kind.isServiceOwned)
    }
    let isMeant: (Connection) -> Bool = { isUsable($0) && $0.id.text == audience ?? $0.id.text }
    func cover(_ connections: [Connection]) -> Cover? {
      guard !connections.isEmpty else { return nil }
      let isNamed = audience != nil && connections.contains { $0.id.text == audience }
      return Cover(Connection.covering(url, among: connections, where: isNamed ? isMeant : isUsable))
    }
    let (inner, middle, outer) = (
      known.services.isEmpty ? nil : Cover(Connection.covering(url, among: known.services, where: isMeant)),
      cover(known.proxies), cover(known.networks)
    )
    guard let innermost = inner ?? middle ?? outer else { return nil }
    // What stands in front is left out where the client asks for just that.
    let found = [inner, middle, outer]
    let asked = audience.flatMap { id in found.lazy.compactMap(\.self).first { $0.connection.id.text == id } }
    let target = asked ?? innermost
    if inner == nil, audience == nil, Self.rivals(url, known.services, isUsable).count > 1 { return nil }
    service = target
    // Layers let people through, and nothing that acts for none.
    let isPersonal = !target.connection.kind.isServiceOwned
    let place = target.connection.kind.layer
    func isInFront(_ cover: Cover?) -> Bool {
      guard let cover, isPersonal, !cover.connection.isDisabled else { return false }
      return cover.connection.kind.layer.isOutside(place)
    }
    proxy = isInFront(middle) ? middle : nil
    network = isInFront(outer) ? outer : nil
    func unclear(_ cover: Cover?, _ connections: [Connection]) -> [Connection] {
      guard cover == nil, isPersonal, let layer = connections.first?.kind.layer, layer.isOutside(place) else {
        return []
      }
      return Self.rivals(url, connections, isUsable)
    }
    rivals = unclear(outer, known.networks) + unclear(middle, known.proxies)
  }

  /// Those of `connections` that cover `url` equally well: those that are usable, or else whatever is not switched off.
  private static func rivals(
    _ url: ResourceURL, _ connections: [Connection], _ isUsable: (Connection) -> Bool
  ) -> [Connection] {
    let best = Connection.bestCovering(url, among: connections).filter { !$0.isDisabled }
    let usable = best.filter(isUsable)
    return usable.isEmpty ? best : usable
  }

  /// Why what stands in front cannot be told: an unlucky vend would leave it out.
  func doubt(_ client: Client) -> Refusal? {
    guard !rivals.isEmpty else { return nil }
    // What the client may not use is not named to it.
    guard rivals.count > 1, rivals.allSatisfy({ client.permission(for: $0.id) != nil }) else {
      return VendRule.unknownTarget
    }
    let names = rivals.map(\.name).sorted().joined(separator: " and ")
    return Refusal(
      .invalidTarget,
      "\(names) stand in front of the resource equally well: an administrator has to let the client use one of them alone."
    )
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
