import Domain
import HTTP

/// The options of an API key: what it reaches, and from where and how often it may come.
enum APIKeyArguments {
  static let all = [
    connections, resources, methods, longestAnswer, referrers, networks, perMinute, perDay,
  ]

  static let connections = Option(
    "--connection", "ID", "A connection of Gatehouse's own that it may use.", .requiredRepeatable)
  static let resources = Option(
    "--resource", "PREFIX",
    "Only URLs that begin like this: https://host/path, host or *.host. Then it uses the proxy alone.", .repeatable)
  static let methods = Option(
    "--method", "METHOD",
    "Only by this method, such as GET. Then it uses the proxy alone; a publishable key has GET and HEAD.", .repeatable)
  static let longestAnswer = Option(
    "--longest-answer", "BYTES", "No answer longer than this. Then it uses the proxy alone.")
  static let referrers = Option(
    "--referrer", "PREFIX", "Only from pages that begin like this, by the Referer that browsers send.", .repeatable)
  static let networks = Option(
    "--network", "CIDR", "Only from this network, such as 192.0.2.0/24.", .repeatable)
  static let perMinute = Option("--per-minute", "COUNT", "At most so many calls a minute.")
  static let perDay = Option("--per-day", "COUNT", "At most so many calls a day, which begins at midnight UTC.")

  static func scope(_ arguments: Arguments, of kind: ClientAPIKey.Kind) throws(UsageFailure) -> APIKeyScope {
    let named = arguments.values(of: methods).map { $0.uppercased() }
    return APIKeyScope(
      connections: try arguments.values(of: connections, ConnectionID.rule, ConnectionID.init),
      resources: try patterns(resources, arguments),
      methods: named.isEmpty && kind == .publishable ? APIKeyScope.readingMethods : named,
      longestAnswer: try number(longestAnswer, "bytes", arguments))
  }

  static func limits(_ arguments: Arguments) throws(UsageFailure) -> APIKeyLimits {
    APIKeyLimits(
      referrers: try patterns(referrers, arguments), networks: try ranges(arguments),
      perMinute: try number(perMinute, "calls", arguments), perDay: try number(perDay, "calls", arguments))
  }

  static func ranges(_ arguments: Arguments) throws(UsageFailure) -> [String] {
    try arguments.values(
      of: networks, "a network such as 10.20.0.0/16, or 192.0.2.7/32 for one address", AddressRange.init
    ).map(\.description)
  }

  static func patterns(_ option: Option, _ arguments: Arguments) throws(UsageFailure) -> [ResourcePattern] {
    try arguments.values(of: option, "https://host/path, host or *.host") { ResourcePattern($0) }
  }

  static func number(_ option: Option, _ unit: String, _ arguments: Arguments) throws(UsageFailure) -> Int64? {
    try arguments.values(of: option, "a whole number of \(unit), at least 1") {
      Int64($0).flatMap { $0 > 0 ? $0 : nil }
    }.first
  }
}
