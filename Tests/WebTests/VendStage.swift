import Domain
import HTTP
import Storage
import Testing

@testable import Web

/// A person connected to a simulated portal, and an app that they allowed to use it.
struct VendStage {
  let gatehouse: TestInstallation
  let portal: TestPortal
  let connection: Connection
  let client: TestClient
  let person: TestPerson
  let access: String

  /// - Throws: Whatever keeps the stage from being set.
  init(connects: Bool = true, rawTokens: Bool = true) async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    connection = try await gatehouse.connection(to: portal)
    client = try await gatehouse.client(connections: [connection.id], rawTokens: rawTokens)
    person = try await gatehouse.person()
    if connects { try await gatehouse.connect(person, to: connection, at: portal) }
    access = try await gatehouse.tokens(for: client, person).access
  }

  var resource: String { portal.origin + "/sharing/rest/portals/self" }

  func get(
    _ path: String = "/v1/token", _ query: QueryItems? = nil, authorization: [String]? = nil
  ) async throws -> Response {
    var headers = Headers()
    for line in authorization ?? ["Bearer \(access)"] { headers.add("authorization", try #require(FieldValue(line))) }
    return await gatehouse.send(.get, (query ?? ["resource": resource]).appended(to: path), headers: headers)
  }

  func exchange(_ more: [(String, String)] = [], without: String? = nil, as other: TestClient? = nil) async
    -> Response
  {
    var form = QueryItems()
    let fields = [
      ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", access),
      ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"), ("resource", resource),
    ]
    let replaced = Set(more.map(\.0)).subtracting(["audience"])
    for (name, value) in fields where name != without && !(replaced.contains(name) && name != "resource") {
      form.append(name, value)
    }
    for (name, value) in more { form.append(name, value) }
    return await gatehouse.post("/oauth2/token", form, basic: (other ?? client).basic)
  }
}
