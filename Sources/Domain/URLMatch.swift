/// Whether a connection covers a URL, and whether it is the one that the URL belongs to among those of its layer.
public struct URLMatch: Sendable {
  /// The pattern of the connection that covers the URL best, with how specific it is; `nil` when none does.
  public let own: (pattern: ResourcePattern, specificity: Int)?
  /// The other connections that cover it at least as well or alone, the best first, with the same of theirs.
  public let others: [(connection: Connection, pattern: ResourcePattern, specificity: Int)]
  /// What a vend would choose; `nil` when nothing covers the URL or several do equally well.
  public let winner: ConnectionID?

  /// Looks at `connection` together with the `others` that there are.
  public init(_ url: ResourceURL, _ connection: Connection, among others: [Connection]) {
    let rivals = others.filter { $0.id != connection.id && $0.kind.layer == connection.kind.layer }
    let own = connection.best(for: url)
    self.own = own
    self.others = rivals.compactMap { rival in
      rival.best(for: url).map { (rival, $0.pattern, $0.specificity) }
    }.filter { $0.specificity >= own?.specificity ?? 0 }.sorted { $0.specificity > $1.specificity }
    winner = Connection.covering(url, among: rivals + [connection], where: { !$0.isDisabled })?.0.id
  }
}

extension Connection {
  /// The pattern that covers `url` best, with how specific it is; `nil` when none does.
  public func best(for url: ResourceURL) -> (pattern: ResourcePattern, specificity: Int)? {
    resources.compactMap { pattern in pattern.specificity(for: url).map { (pattern, specificity: $0) } }
      .max { $0.specificity < $1.specificity }
  }
}
