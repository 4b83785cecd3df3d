import Domain
import HTTP

/// The options with which `gatehouse key edit` changes a key: each replaces what the key had, and `any` ends the limit.
extension APIKeyArguments {
  private static let any = "any"

  static let changes: [Option] = all.map { option in
    let isOpen = option.name != connections.name
    return Option(
      option.name, option.value ?? "", option.meaning + (isOpen ? " '\(any)' for no such limit." : ""),
      option.mayRepeat ? .repeatable : .optional)
  }

  /// - Returns: What becomes of a key; what no option names stays.
  static func change(_ arguments: Arguments) throws(UsageFailure) -> @Sendable (ClientAPIKey) -> APIKeyEdit {
    let given = try Given(arguments)
    return { key in
      let (scope, limits) = (key.scope, key.limits)
      return APIKeyEdit(
        name: key.name,
        scope: APIKeyScope(
          connections: given.connections ?? scope.connections, resources: given.resources ?? scope.resources,
          methods: given.methods ?? scope.methods, longestAnswer: given.longestAnswer.value(or: scope.longestAnswer)),
        limits: APIKeyLimits(
          referrers: given.referrers ?? limits.referrers, networks: given.networks ?? limits.networks,
          perMinute: given.perMinute.value(or: limits.perMinute), perDay: given.perDay.value(or: limits.perDay)))
    }
  }

  /// A number that may be left as it is, or taken away.
  private enum Number: Sendable {
    case untouched
    case none
    case some(Int64)

    func value(or old: Int64?) -> Int64? {
      switch self {
      case .untouched: old
      case .none: nil
      case .some(let number): number
      }
    }
  }

  /// What was given; `nil` for an option that was not.
  private struct Given: Sendable {
    let connections: [ConnectionID]?
    let resources, referrers: [ResourcePattern]?
    let methods, networks: [String]?
    let longestAnswer, perMinute, perDay: Number

    init(_ arguments: Arguments) throws(UsageFailure) {
      connections =
        arguments.has(APIKeyArguments.connections)
        ? try arguments.values(of: APIKeyArguments.connections, ConnectionID.rule, ConnectionID.init) : nil
      resources = try Self.list(APIKeyArguments.resources, arguments, APIKeyArguments.patterns)
      referrers = try Self.list(APIKeyArguments.referrers, arguments, APIKeyArguments.patterns)
      methods = try Self.list(APIKeyArguments.methods, arguments) { $1.values(of: $0).map { $0.uppercased() } }
      networks = try Self.list(APIKeyArguments.networks, arguments) { (_, arguments) throws(UsageFailure) in
        try APIKeyArguments.ranges(arguments)
      }
      longestAnswer = try Self.number(APIKeyArguments.longestAnswer, "bytes", arguments)
      perMinute = try Self.number(APIKeyArguments.perMinute, "calls", arguments)
      perDay = try Self.number(APIKeyArguments.perDay, "calls", arguments)
    }

    private static func list<T>(
      _ option: Option, _ arguments: Arguments, _ read: (Option, Arguments) throws(UsageFailure) -> [T]
    ) throws(UsageFailure) -> [T]? {
      guard arguments.has(option) else { return nil }
      return arguments.values(of: option) == [any] ? [] : try read(option, arguments)
    }

    private static func number(
      _ option: Option, _ unit: String, _ arguments: Arguments
    ) throws(UsageFailure) -> Number {
      guard arguments.has(option) else { return .untouched }
      if arguments.value(of: option) == any { return .none }
      return try APIKeyArguments.number(option, unit, arguments).map(Number.some) ?? .untouched
    }
  }
}
