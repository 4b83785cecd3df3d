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
  private static let explained = ["openid", "profile", "email", "offline_access", Scope.vend]

  /// `scopes`, a flag for each that the pages explain, and `other_scopes`.
  var slots: PageContext.Object {
    [
      "scopes": .object(
        PageContext.Object(Dictionary(uniqueKeysWithValues: Self.explained.map { ($0, .flag(contains($0))) }))),
      "other_scopes": .list(words.filter { !Self.explained.contains($0) }.map(PageContext.text)),
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
