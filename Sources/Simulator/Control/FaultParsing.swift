internal import JSON

/// Why a control call was refused: one sentence for whoever sent it.
struct ControlRefusal: Error, Equatable {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

extension Fault {
  /// Reads `{"endpoint":…,"kind":…,"value":…,"times":…}`.
  ///
  /// - Throws: ``ControlRefusal``, which says what is wrong and what may stand there.
  init(_ json: JSONValue) throws(ControlRefusal) {
    let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
    guard let kind = json.string("kind").flatMap(Kind.init) else {
      throw ControlRefusal("kind must be one of \(kinds).")
    }
    guard let endpoint = json.string("endpoint"), endpoint == "*" || Self.endpoints.contains(endpoint) else {
      throw ControlRefusal("endpoint must be * or one of \(Self.endpoints.joined(separator: ", ")).")
    }
    self.endpoint = endpoint
    self.kind = kind
    value = try Self.value(json, of: kind)
    remaining = try Self.number(json, "times", in: 0...1_000_000_000)
  }

  private static func value(_ json: JSONValue, of kind: Kind) throws(ControlRefusal) -> Int {
    switch kind {
    case .delay:
      guard let value = try number(json, "value", in: 0...600_000) else {
        throw ControlRefusal("value must be the delay in milliseconds.")
      }
      return value
    case .status: return try number(json, "value", in: 200...599) ?? 503
    default: return try number(json, "value", in: Int.min...Int.max) ?? 0
    }
  }

  private static func number(
    _ json: JSONValue, _ name: String, in range: ClosedRange<Int>
  ) throws(ControlRefusal) -> Int? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let number = value.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw ControlRefusal("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// Every name a fault may carry.
  private static let endpoints: [String] =
    Endpoint.allCases.map(\.rawValue) + [
      "token.authorization_code", "token.refresh_token", "token.exchange_refresh_token", "token.client_credentials",
      "generateToken.password", "generateToken.server", "stranger.token", "login.token.authorization_code",
      "login.token.refresh_token", "login.token.client_credentials",
    ]
}
