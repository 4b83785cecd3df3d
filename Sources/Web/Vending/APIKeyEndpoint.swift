import Domain
import Flows
import HTTP

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
    guard let shown = try caller.shownKey(call) else { throw Self.missing }
    let authenticate = AuthenticateAPIKey(here)
    let proven: ProvenAPIKey
    if let known = try authenticate.atOnce(shown) {
      proven = known
    } else {
      proven = try await authenticate(shown, call.visitor)
    }
    let now = here.clock.now()
    return .json(.ok, proven.description(at: now) { APIKeyJSON.forHolder($0, at: now) })
  }

  /// Ends the whole key: whoever holds one secret of it can, should it have leaked.
  func delete(_ call: Call) async throws -> Response {
    guard let shown = try caller.shownKey(call) else { throw Self.missing }
    let key = try await AuthenticateAPIKey(here).uncounted(shown, call.visitor).key
    guard key.kind == .secret else { throw Self.everybodyHolds }
    guard key.token == nil else { throw Self.isHandedOn }
    try await ManageAPIKeys(here).revoke(key.id, by: nil, call.visitor)
    return Response(status: .noContent)
  }

  private static let isHandedOn = Refusal(.insufficientScope, "A token does not end the API key that it was made from.")
  private static let everybodyHolds = Refusal(
    .insufficientScope, "Anybody can read a publishable key, so an administrator alone ends it.")
  static let missing = Refusal(.invalidToken, "Send the API key: X-API-Key: KEY")
}
