import Domain
import Flows
import HTTP
import JSON

/// Exchanges a secret API key for a short-lived token that is for no more, `POST /v1/key/tokens`.
struct APIKeyTokenEndpoint: Sendable {
  static let path = APIKeyEndpoint.path + "/tokens"

  private let here: Installation
  private let caller: AppCaller

  init(_ here: Installation) {
    self.here = here
    caller = AppCaller(here)
  }

  func post(_ call: Call) async throws -> Response {
    guard let key = try await caller.key(call) else { throw APIKeyEndpoint.missing }
    let wish = try Wish(call.request)
    let issued = try await IssueAPIKeyToken(here)(wish.narrowing, lifetime: wish.lifetime, of: key, call.visitor)
    let now = here.clock.now()
    let body = JSONWriter.object { json in
      json.member("token", issued.text.revealedText)
      json.member("id", issued.key.token?.id.text ?? "")
      json.member("expires_in", (issued.key.token?.expiresAt ?? now) - now)
      json.object("scope") { APIKeyJSON.write(issued.key.scope, to: &$0) }
      json.object("limits") { APIKeyJSON.write(issued.key.limits, to: &$0) }
    }
    return .json(.ok, body)
  }
}

/// What a token shall be for; named as the key's own scope and limits are told.
private struct Wish {
  var narrowing = APIKeyNarrowing()
  var lifetime: Int64?

  /// - Throws: `Refusal` `invalid_request`, also for a member that is not known: it may have been meant to narrow.
  init(_ request: Request) throws(Refusal) {
    guard !request.body.isEmpty else { return }
    guard request.headers.contentType?.isJSON == true else {
      throw Refusal(.invalidRequest, "Say what the token is for as application/json, or send no body for the same.")
    }
    let body: JSONValue
    do { body = try JSONValue(parsing: request.body) } catch {
      throw Refusal(.invalidRequest, "The body is no JSON: \(error).")
    }
    for member in try Self.members(of: body, "The body") {
      switch member.name {
      case "expires_in": lifetime = try Self.whole(member.value, "expires_in")
      case "scope": for part in try Self.members(of: member.value, "scope") { try readScope(part) }
      case "limits": for part in try Self.members(of: member.value, "limits") { try readLimits(part) }
      default: throw Self.unknown("The body", "expires_in, scope and limits")
      }
    }
  }

  private mutating func readScope(_ member: JSONValue.Member) throws(Refusal) {
    let name = "scope." + member.name
    switch member.name {
    case "connections": narrowing.connections = try Self.list(member.value, name) { ConnectionID($0) }
    case "resources": narrowing.resources = try Self.list(member.value, name) { ResourcePattern($0) }
    case "methods": narrowing.methods = try Self.list(member.value, name) { $0 }
    case "longest_answer": narrowing.longestAnswer = try Self.whole(member.value, name)
    default: throw Self.unknown("scope", "connections, resources, methods and longest_answer")
    }
  }

  private mutating func readLimits(_ member: JSONValue.Member) throws(Refusal) {
    let name = "limits." + member.name
    switch member.name {
    case "referrers": narrowing.referrers = try Self.list(member.value, name) { ResourcePattern($0) }
    case "networks": narrowing.networks = try Self.list(member.value, name) { $0 }
    default: throw Self.unknown("limits", "referrers and networks; calls are counted for the key")
    }
  }

  private static func members(of value: JSONValue, _ name: String) throws(Refusal) -> [JSONValue.Member] {
    guard let members = value.object else { throw Refusal(.invalidRequest, "\(name) is no object.") }
    return members
  }

  private static func list<Element>(
    _ value: JSONValue, _ name: String, _ parse: (String) -> Element?
  ) throws(Refusal) -> [Element] {
    let parsed = value.strings?.map(parse) ?? [nil]
    let found = parsed.compactMap(\.self)
    guard found.count == parsed.count, found.count <= 100 else {
      throw Refusal(.invalidRequest, "\(name) is a list of at most 100 texts as the key's own are told by GET /v1/key.")
    }
    return found
  }

  private static func whole(_ value: JSONValue, _ name: String) throws(Refusal) -> Int64 {
    guard let number = value.integer else { throw Refusal(.invalidRequest, "\(name) is a whole number.") }
    return number
  }

  private static func unknown(_ place: String, _ names: String) -> Refusal {
    Refusal(.invalidRequest, "\(place) has a member beside \(names).")
  }
}
