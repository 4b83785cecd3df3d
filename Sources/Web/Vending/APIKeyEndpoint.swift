import Domain
import Flows
import HTTP
import JSON

/// What an API key is for, as its holder may know it, and its end at the holder's wish.
struct APIKeyEndpoint: Sendable {
  static let path = "/v1/key"

  private let here: Installation
  private let caller: AppCaller

  init(_ here: Installation) {
    self.here = here
    caller = AppCaller(here)
  }

  func get(_ call: Call) async throws -> Response {
    guard let key = try await caller.key(call) else { throw Self.missing }
    return .json(.ok, key.description(at: here.clock.now()))
  }

  /// Ends the whole key: whoever holds one secret of it can, should it have leaked.
  func delete(_ call: Call) async throws -> Response {
    guard let key = try await caller.key(call) else { throw Self.missing }
    guard key.kind == .secret else { throw Self.everybodyHolds }
    try await ManageAPIKeys(here).revoke(key.id, by: nil, call.visitor)
    return Response(status: .noContent)
  }

  private static let everybodyHolds = Refusal(
    .insufficientScope, "Anybody can read a publishable key, so an administrator alone ends it.")
  private static let missing = Refusal(.invalidToken, "Send the API key: X-API-Key: KEY")
}

extension ClientAPIKey {
  /// For its holder: no secret is in it.
  fileprivate func description(at now: Timestamp) -> [UInt8] {
    JSONWriter.object { json in
      json.member("id", id.text)
      json.member("name", name)
      json.member("client_id", client.text)
      json.member("kind", kind.rawValue)
      json.object("scope") { json in
        json.member("connections", scope.connections.map(\.text))
        json.member("resources", scope.resources.map(\.text))
        json.member("methods", scope.methods)
        if let longest = scope.longestAnswer { json.member("longest_answer", longest) }
      }
      json.object("limits") { json in
        json.member("referrers", limits.referrers.map(\.text))
        json.member("networks", limits.networks)
        if let perMinute = limits.perMinute { json.member("per_minute", perMinute) }
        if let perDay = limits.perDay { json.member("per_day", perDay) }
      }
      json.array("secrets") { json in
        for slot in slots where slot.isLive(at: now) {
          json.object { json in
            json.member("slot", slot.number)
            json.member("expires_in", slot.expiresAt - now)
          }
        }
      }
    }
  }
}
