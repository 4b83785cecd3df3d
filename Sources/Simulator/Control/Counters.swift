internal import JSON

/// How often each endpoint was called since the start or the last reset.
struct Counters: Sendable {
  private var calls: [String: Int64] = [:]

  /// Counts one call under each of `names`.
  mutating func count(_ names: [String]) {
    for name in names { calls[name, default: 0] += 1 }
  }

  /// An object from endpoint to number, in order of the names.
  var json: JSONValue {
    .object(calls.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .integer($0.value)) })
  }
}

extension Endpoint {
  /// The names under which a call is counted and faults find it.
  ///
  /// The endpoint's own, one more per kind of token asked for, and one for a token that went to the stranger.
  func names(_ call: Call) -> [String] {
    let parameters = call.parameters
    switch self {
    case .token, .loginToken:
      guard let grant = parameters["grant_type"], Self.grants.contains(grant) else { return [rawValue] }
      return [rawValue, "\(rawValue).\(grant)"]
    case .generateToken:
      let isForServer = parameters["serverUrl"] != nil || parameters["serverURL"] != nil
      return [rawValue, "\(rawValue).\(isForServer ? "server" : "password")"]
    case .stranger: return [rawValue] + (call.token == nil ? [] : ["\(rawValue).token"])
    default: return [rawValue]
    }
  }

  /// Grant types by name; what else a caller writes must not become the name of a counter.
  private static let grants: Set = [
    "authorization_code", "refresh_token", "exchange_refresh_token", "client_credentials",
  ]
}
