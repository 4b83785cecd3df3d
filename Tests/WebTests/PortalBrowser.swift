import Crypto
import Domain
import Flows
import HTTP
import SQL
import SQLite
import Storage
import Testing

@testable import Web

extension TestBrowser {
  /// Signs in at the portal where `response` sends the browser, and comes back.
  func travel(_ response: Response, _ portal: TestPortal, as user: String = "ana") async throws -> Response {
    await get(try await way(back: response, portal, as: user))
  }

  /// The path of ours to which the portal sends the browser back.
  func way(back response: Response, _ portal: TestPortal, as user: String = "ana") async throws -> String {
    let url = try #require(response.location, "\(response.status.code) \(response.text)")
    let back = try await portal.signIn(at: url, as: user)
    try #require(back.hasPrefix(TestInstallation.external + "/callback/"), "\(back)")
    return String(back.dropFirst(TestInstallation.external.count))
  }

  /// The `state` of the trip that `response` begins.
  static func state(in response: Response) throws -> String {
    let url = try #require(response.location.flatMap(URLParts.init))
    return try #require(try Form(query: Substring(url.query ?? ""))["state"])
  }
}

extension TestInstallation {
  static let password = "correct horse battery"

  /// An account with a local password and no session.
  func local(_ name: String, role: Account.Role = .person) async throws -> Account {
    let account = Account(
      id: AccountID(random: Hex.encode(Random.bytes(16))), name: name, username: name.lowercased(), role: role,
      createdAt: time.now)
    let hash = try Argon2id().hash(Array(Self.password.utf8))
    let now = time.now
    try await store.write { tx in
      try tx.insert(account)
      try tx.setPasswordHash(hash, of: account.id, at: now)
    }
    return account
  }

  /// A connection through which anyone may get an account.
  @discardableResult
  func openConnection(to portal: TestPortal, _ id: String = "demo") async throws -> Connection {
    var connection = try portal.connection(id, at: time.now)
    connection.admission = .anyone
    let open = connection
    try await store.write { try $0.insert(open, clientSecret: nil) }
    return open
  }

  /// How many rows a table has.
  func count(_ table: String) async throws -> Int64 {
    try await database.read {
      try $0.first(Statement(stringLiteral: "SELECT count(*) AS n FROM \(table)"))?.integer("n") ?? 0
    }
  }

  /// How many rows every table has.
  func counts() async throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    let tables = try await database.read { session in
      try session.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map { try $0.text("name") }
    }
    for table in tables { counts[table] = try await count(table) }
    return counts
  }

  func credential(of account: AccountID) async throws -> Credential? {
    try await store.read { try $0.credentials(of: account).first }
  }

  /// The link of an app that waits for a person.
  func link(for account: AccountID, _ client: TestClient, _ connection: Connection) -> String {
    let uri = here.interactionURI(
      .init(reason: .notConnected, connection: connection.id), account: account, client: client.client.id)
    return String(uri.dropFirst(Self.external.count))
  }
}
