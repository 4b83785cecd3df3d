import Domain
import Pages

extension Connection {
  /// `id`, `name`, `host` and `kind`, as pages show a service.
  var slots: PageContext.Object {
    [
      "id": .text(id.text), "name": .text(name), "host": .text(shownHost),
      "kind": kindName.map(PageContext.choice) ?? .none,
    ]
  }

  private var kindName: KindName? { KindName(rawValue: kind.rawValue) }
}

extension Account {
  /// What the pages of an account are given.
  var slots: PageContext.Object {
    ["account_name": .text(name), "is_administrator": .flag(role == .administrator)]
  }
}

extension Scope {
  private static let explained = ["openid", "profile", "email", "offline_access", Scope.vend, Scope.unattended]

  /// What a page calls the flag of a scope: a name holds no colon there.
  static func slot(_ word: String) -> String { word.replacing(":", with: "_") }

  /// ``slots`` of what was answered: without unattended use where it was asked and no service was ticked.
  func slots(hasUnattendedUse: Bool) -> PageContext.Object {
    let asked = words.filter { hasUnattendedUse || $0 != Scope.unattended }
    return (Scope(asked.joined(separator: " ")) ?? .none).slots
  }

  /// What has no words of its own; the portals of connections are shown by these connections' names.
  private var otherWords: [String] {
    let portals = arcGISConnections.flatMap { Scope.arcGIS($0).words }
    return words.filter { !Self.explained.contains($0) && !portals.contains($0) }
  }

  /// `scopes`, a flag for each that the pages explain, and `other_scopes`.
  var slots: PageContext.Object {
    [
      "scopes": .object(
        PageContext.Object(
          Dictionary(uniqueKeysWithValues: Self.explained.map { (Self.slot($0), .flag(contains($0))) }))),
      "other_scopes": .list(otherWords.map(PageContext.text)),
    ]
  }
}

extension Connection {
  /// Its host, with the port where that is not the usual one: two connections may differ in that alone.
  var shownHost: String {
    guard let url = ResourceURL(origin) else { return origin }
    return String(url.origin[(url.origin.firstRange(of: "://")?.upperBound ?? url.origin.startIndex)...])
  }
}
