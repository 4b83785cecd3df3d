import Domain
import Flows
import HTTP
import JSON

/// Lists the connections that the calling app may use for its person.
struct ConnectionsEndpoint: Sendable {
  private let here: Installation
  private let app: AppCaller

  init(_ here: Installation) {
    self.here = here
    app = AppCaller(here)
  }

  func answer(_ call: Call) async throws -> Response {
    switch try await app(call) {
    case .challenge(let response): return response
    case .caller(let caller):
      if let token = caller.token, !(try await here.isLive(token)) { throw Refusal.endedToken }
      let items = try await UsableConnections(here)(caller.client, for: caller.account, by: caller.key)
      return .json(.ok, body(items, caller))
    }
  }

  private func body(_ items: [UsableConnections.Item], _ caller: VendCaller) -> [UInt8] {
    JSONWriter.object { json in
      json.array("connections") { json in
        for item in items { json.object { write(item, caller, to: &$0) } }
      }
    }
  }

  /// What of a connection is for the caller: a narrowed key learns of no more than it may call.
  private func resources(of connection: Connection, _ key: ClientAPIKey?) -> [ResourcePattern] {
    guard let own = key?.scope.resources, !own.isEmpty else { return connection.resources }
    return own.filter { resource in connection.resources.contains { resource.isWithin($0) } }
  }

  private func write(_ item: UsableConnections.Item, _ caller: VendCaller, to json: inout JSONWriter) {
    json.member("id", item.connection.id.text)
    json.member("name", item.connection.name)
    json.member("kind", item.connection.kind.rawValue)
    json.member("resources", resources(of: item.connection, caller.key).map(\.text))
    json.member("raw_token", item.handsOutRawTokens)
    json.member("ready", item.missing == nil)
    guard let missing = item.missing, let account = caller.account else { return }
    json.member("reason", missing.reason.rawValue)
    json.member("interaction_uri", here.interactionURI(missing, account: account, client: caller.client))
  }
}
