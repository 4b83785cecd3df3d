internal import HTTP
internal import JSON

/// The simulator's own switches, at every host.
enum ControlEndpoint: String, Sendable {
  case counters = "/_counters"
  case faults = "/_faults"
  case revoke = "/_revoke"
  case clock = "/_clock"
  case keys = "/_keys"
}

extension World {
  /// Reads or turns a switch.
  mutating func control(_ endpoint: ControlEndpoint, _ request: Request) -> Response {
    do throws(ControlRefusal) {
      return .json(try controlled(endpoint, request), layout: .pretty)
    } catch {
      return .json(["error": .string(error.sentence)], status: .badRequest)
    }
  }

  private mutating func controlled(
    _ endpoint: ControlEndpoint, _ request: Request
  ) throws(ControlRefusal) -> JSONValue {
    switch (endpoint, request.method) {
    case (.counters, .get): return counters.json
    case (.counters, .delete):
      counters = Counters()
      return counters.json
    case (.faults, .get): return faults.json
    case (.faults, .put):
      faults.set(try Fault(try Self.body(request)))
      return faults.json
    case (.faults, .delete):
      faults.removeAll()
      return faults.json
    case (.revoke, .post): return try revoke(try Self.body(request))
    case (.clock, .get): return clock
    case (.clock, .post):
      try advance(try Self.body(request))
      return clock
    case (.keys, .post): return try rotateKey()
    default: throw ControlRefusal("\(request.method.name) is not offered at \(endpoint.rawValue).")
    }
  }

  private mutating func revoke(_ json: JSONValue) throws(ControlRefusal) -> JSONValue {
    guard let user = json.string("user"), portal.configuration.user(named: user) != nil else {
      throw ControlRefusal("user must be the name of a user of this simulator.")
    }
    return ["revoked": .integer(Int64(portal.revokeAll(of: user) + directory.revokeAll(of: user)))]
  }

  private mutating func rotateKey() throws(ControlRefusal) -> JSONValue {
    do { try directory.rotateKey() } catch { throw ControlRefusal(error.description) }
    return ["published": .integer(Int64(directory.keys.count))]
  }

  /// A year is the most at once, so that no sum overflows.
  private mutating func advance(_ json: JSONValue) throws(ControlRefusal) {
    let year: Int64 = 366 * 86_400
    guard let seconds = json.integer("advance"), (-year...year).contains(seconds) else {
      throw ControlRefusal("advance must be a number of seconds, at most \(year).")
    }
    clockAdvance += seconds * 1_000
  }

  private var clock: JSONValue { ["now": .integer(now.milliseconds), "advanced": .integer(clockAdvance / 1_000)] }

  private static func body(_ request: Request) throws(ControlRefusal) -> JSONValue {
    do {
      return try JSONValue(parsing: request.body)
    } catch {
      throw ControlRefusal("The body is not JSON: \(error).")
    }
  }
}
