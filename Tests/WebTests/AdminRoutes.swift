import Domain
import Flows
import HTTP
import Pages
import SQL
import SQLite
import Storage
import Testing

@testable import Web

/// A route of the administration, to be asked by everybody.
struct AdminRoute: Sendable, CustomTestStringConvertible {
  let method: HTTP.Method
  /// As in the route table.
  let pattern: String

  var testDescription: String { "\(method.name) \(pattern)" }

  static let pages = [
    "/admin", "/admin/connections", "/admin/connections/new", "/admin/connections/:connection", "/admin/clients",
    "/admin/connections/:connection/edit",
    "/admin/clients/new", "/admin/clients/:client", "/admin/clients/:client/edit", "/admin/clients/:client/rotate",
    "/admin/clients/:client/keys", "/admin/clients/:client/keys/:key/edit", "/admin/accounts", "/admin/audit",
    "/admin/accounts/:account/signout", "/admin/accounts/:account/factors", "/admin/accounts/:account/password",
    "/admin/accounts/:account/app-passwords", "/admin/connections/:connection/app-passwords",
    "/admin/registration", "/admin/ledger",
    "/admin/why", "/admin/usage", "/admin/webhooks",
  ].map { AdminRoute(method: .get, pattern: $0) }

  /// Pages to which only a redirect leads.
  static let unlinked = ["/admin/clients/:client/secret", "/admin/connections/:connection/invitation"].map {
    AdminRoute(method: .get, pattern: $0)
  }

  /// Answers that are no pages.
  static let files = ["/admin/usage.csv", "/admin/usage.json"].map { AdminRoute(method: .get, pattern: $0) }

  /// Pages that look at a server of somebody else.
  static let outward = ["/admin/connections/:connection/trust"].map { AdminRoute(method: .get, pattern: $0) }

  static let forms = [
    "/admin/signout", "/admin/connections/new", "/admin/connections/:connection/disable",
    "/admin/connections/:connection/enable", "/admin/connections/:connection/delete",
    "/admin/connections/:connection/key", "/admin/connections/:connection/key/use",
    "/admin/connections/:connection/key/item", "/admin/connections/:connection/key/remove",
    "/admin/connections/:connection/edit", "/admin/connections/:connection/keeping",
    "/admin/connections/:connection/app-passwords",
    "/admin/connections/:connection/app-passwords/:password/end",
    "/admin/accounts/:account/app-passwords/:password/end",
    "/admin/connections/:connection/invite",
    "/admin/connections/:connection/invitations/:invitation/withdraw",
    "/admin/clients/new",
    "/admin/clients/:client/rotate", "/admin/clients/:client/disable", "/admin/clients/:client/enable",
    "/admin/clients/:client/keys", "/admin/clients/:client/keys/:key/edit", "/admin/clients/:client/keys/:key/next",
    "/admin/clients/:client/keys/:key/revoke",
    "/admin/clients/:client/delete", "/admin/clients/:client/edit", "/admin/clients/:client/trust",
    "/admin/clients/:client/look",
    "/admin/accounts", "/admin/accounts/:account/password", "/admin/accounts/:account/disable",
    "/admin/accounts/:account/enable",
    "/admin/accounts/:account/signout", "/admin/accounts/:account/factors", "/admin/connections/:connection/trust",
    "/admin/connections/:connection/trust/withdraw", "/admin/registration", "/admin/registration/:token/revoke",
    "/admin/webhooks", "/admin/webhooks/:webhook/test", "/admin/webhooks/:webhook/delete",
  ].map { AdminRoute(method: .post, pattern: $0) }
}

/// An installation with one of everything.
struct AdminWorld {
  let installation: TestInstallation
  let root: TestPerson
  let person: TestPerson
  let client: TestClient
  let connection: Connection
  let key: ClientAPIKey

  init() async throws {
    installation = try await TestInstallation()
    root = try await installation.administrator()
    _ = try await installation.administrator("Second")
    person = try await installation.person()
    var connection = Connection(
      id: try #require(ConnectionID("maps")), name: "Maps", kind: .oauthUser, origin: "https://maps.example/portal",
      clientID: "gatehouse", createdAt: installation.time.now)
    connection.resources = [try #require(ResourcePattern("https://maps.example/server"))]
    let stored = connection
    try await installation.store.write { try $0.insert(stored, clientSecret: nil) }
    self.connection = stored
    client = try await installation.client(connections: [stored.id])
    let key = ClientAPIKey(
      id: APIKeyID(random: "0123456789abcdef"), client: client.client.id, name: "Night", kind: .secret,
      scope: APIKeyScope(connections: [stored.id]), limits: APIKeyLimits(), createdAt: installation.time.now)
    try await installation.store.write { try $0.insert(key) }
    self.key = key
  }

  /// The path of a route that leads to what is here.
  func path(of route: AdminRoute) -> String {
    route.pattern.split(separator: "/").reduce("") { path, segment in
      switch segment {
      case ":connection": "\(path)/\(connection.id)"
      case ":client": "\(path)/\(client.id)"
      case ":key": "\(path)/\(key.id)"
      case ":invitation": "\(path)/inv_0123456789abcdef"
      case ":password": "\(path)/apw_0123456789abcdef"
      case ":token": "\(path)/reg_0123456789abcdef"
      case ":webhook": "\(path)/hook_0123456789abcdef"
      case ":account": "\(path)/\(person.account.id)"
      default: "\(path)/\(segment)"
      }
    }
  }
}

extension TestInstallation {
  /// Everything that the database holds, row by row.
  func contents() async throws -> [String] {
    // Writes that nobody waited for come first.
    try await store.write { _ = try $0.clockHighWater() }
    return try await database.read { session in
      let tables = try session.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").map {
        try $0.text("name")
      }
      return try tables.flatMap { table in
        let columns = try session.rows("SELECT name FROM pragma_table_info(\(table)) ORDER BY cid").map {
          try $0.text("name")
        }
        let line = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
        return try session.rows(Statement(stringLiteral: "SELECT \(line) AS line FROM \(table) ORDER BY 1"))
          .map { "\(table): \(try $0.text("line"))" }
      }
    }
  }

  /// Stores accounts that are all called Ana.
  func insertPeople(_ count: Int) async throws {
    let now = time.now
    try await store.write { tx in
      for number in 0..<count {
        let id = AccountID(random: "many\(number)")
        try tx.insert(Account(id: id, name: "Ana", username: nil, role: .person, createdAt: now))
      }
    }
  }

  /// Stores audit rows that are newer than all others.
  func insertEvents(_ count: Int) async throws {
    let event = AuditEvent(.tokenIssued, at: time.now, origin: .system)
    try await store.write { tx in
      for _ in 0..<count { try tx.insert(event) }
    }
  }

  /// The desk of the same installation, for looking at the route table.
  func desk() throws -> Desk {
    let external = try ExternalURL(Self.external)
    let pages = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Public/pages"
    return Desk(
      here: here, external: external, cookies: CookieNames(external), pages: try PageLibrary(directory: pages),
      look: Look(organisation: "City of Ana", stylePath: "/assets/style.css", logoPath: "/assets/logo.svg"))
  }
}
