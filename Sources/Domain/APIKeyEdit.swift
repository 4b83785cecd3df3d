/// What an administrator may change of an API key; its secrets stay as they are.
public struct APIKeyEdit: Sendable, Equatable {
  public var name: String
  public var scope: APIKeyScope
  public var limits: APIKeyLimits

  public init(name: String, scope: APIKeyScope, limits: APIKeyLimits) {
    self.name = name
    self.scope = scope
    self.limits = limits
  }

  /// Nothing that differs from `key`.
  public init(_ key: ClientAPIKey) { self.init(name: key.name, scope: key.scope, limits: key.limits) }
}

extension ClientAPIKey {
  public func applying(_ edit: APIKeyEdit) -> ClientAPIKey {
    ClientAPIKey(
      id: id, client: client, name: edit.name, kind: kind, scope: edit.scope, limits: edit.limits, createdAt: createdAt,
      revokedAt: revokedAt, slots: slots)
  }

  /// What differs in `other`, in words for the audit log: numbers with both values, and of everything else that it does,
  /// since the rest comes from outside.
  public func differences(from other: ClientAPIKey) -> [String] {
    func number(_ name: String, _ before: Int64?, _ after: Int64?) -> String? {
      func text(_ number: Int64?) -> String { number.map { "\($0)" } ?? "any" }
      return before == after ? nil : "\(name) \(text(before)) to \(text(after))"
    }
    let (before, after) = (scope, other.scope)
    let parts: [(String, Bool)] = [
      ("name", name != other.name), ("connections", Set(before.connections) != Set(after.connections)),
      ("resources", Set(before.resources) != Set(after.resources)),
      ("methods", Set(before.methods) != Set(after.methods)),
      ("referrers", Set(limits.referrers) != Set(other.limits.referrers)),
      ("networks", Set(limits.networks) != Set(other.limits.networks)),
    ]
    let numbers = [
      number("longest answer", before.longestAnswer, after.longestAnswer),
      number("calls a minute", limits.perMinute, other.limits.perMinute),
      number("calls a day", limits.perDay, other.limits.perDay),
    ]
    return parts.filter(\.1).map(\.0) + numbers.compactMap(\.self)
  }
}
