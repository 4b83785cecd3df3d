import Domain
import JSON

/// What is told of an API key; no secret is in it.
enum APIKeyJSON {
  static func forHolder(_ key: ClientAPIKey, at now: Timestamp) -> [UInt8] {
    JSONWriter.object { json in
      write(key, to: &json)
      if let token = key.token {
        json.object("token") { json in
          json.member("id", token.id.text)
          json.member("expires_in", token.expiresAt - now)
        }
        return
      }
      json.array("secrets") { json in
        for slot in key.slots where slot.isLive(at: now) {
          json.object { json in
            json.member("slot", slot.number)
            json.member("expires_in", slot.expiresAt - now)
          }
        }
      }
    }
  }

  /// Writes the members that everybody is told who may know of the key.
  static func write(_ key: ClientAPIKey, to json: inout JSONWriter) {
    json.member("id", key.id.text)
    json.member("name", key.name)
    json.member("client_id", key.client.text)
    json.member("kind", key.kind.rawValue)
    json.object("scope") { write(key.scope, to: &$0) }
    json.object("limits") { write(key.limits, to: &$0) }
  }

  static func write(_ scope: APIKeyScope, to json: inout JSONWriter) {
    json.member("connections", scope.connections.map(\.text))
    json.member("resources", scope.resources.map(\.text))
    json.member("methods", scope.methods)
    json.member("longest_answer", ifPresent: scope.longestAnswer)
  }

  static func write(_ limits: APIKeyLimits, to json: inout JSONWriter) {
    json.member("referrers", limits.referrers.map(\.text))
    json.member("networks", limits.networks)
    json.member("per_minute", ifPresent: limits.perMinute)
    json.member("per_day", ifPresent: limits.perDay)
  }
}
