import Domain
import Pages

extension Connection {
  /// `id`, `name`, `host` and `kind`, as pages show a service.
  var slots: PageContext.Object {
    ["id": .text(id.text), "name": .text(name), "host": .text(host), "kind": kindName.map(PageContext.choice) ?? .none]
  }

  private var kindName: KindName? { KindName(rawValue: kind.rawValue) }
}

extension Account {
  /// What the pages of an account are given.
  var slots: PageContext.Object {
    ["account_name": .text(name), "is_administrator": .flag(role == .administrator)]
  }
}
