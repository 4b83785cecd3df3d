import Domain
import Flows
import HTTP
import SQL
import SQLite
import Storage
import Testing

@testable import Web

@Suite("The administration: lists and figures") struct AdminListTests {
  /// The path of the next page.
  private func nextPath(in page: Response) -> String? {
    guard let mark = page.text.firstRange(of: "\" rel=\"next\"") else { return nil }
    let link = page.text[..<mark.lowerBound].split(separator: "href=\"").last
    return link.map { String($0).replacing("&amp;", with: "&") }
  }

  /// The cursor of the link to the next page.
  private func next(in page: Response) -> String? {
    guard let path = nextPath(in: page), let mark = path.firstRange(of: "after=") else { return nil }
    return String(path[mark.upperBound...])
  }

  @Test("show every account once, in pages of 50, also when names are the same")
  func paging() async throws {
    let installation = try await TestInstallation()
    let browser = TestBrowser(installation, try await installation.administrator())
    try await installation.insertPeople(119)
    var (cursor, ids, ranges): (String?, [AccountID], [String]) = (nil, [], [])
    repeat {
      ids += try await installation.here.accounts(after: cursor).entries.map(\.account.id)
      let page = await browser.get("/admin/accounts" + (cursor.map { "?after=\($0)" } ?? ""))
      #expect(page.status == .ok)
      if let shown = page.text.firstRange(of: "<p class=\"muted\">\(ranges.count * 50 + 1) to ") {
        ranges.append(String(page.text[shown.lowerBound...].dropFirst(17).prefix { $0 != "<" }))
      }
      cursor = next(in: page)
    } while cursor != nil && ranges.count < 9
    #expect(ids.count == 120 && Set(ids).count == 120)
    #expect(ranges == ["1 to 50 of 120", "51 to 100 of 120", "101 to 120 of 120"])
  }

  @Test("show the audit log newest first, each row once")
  func audit() async throws {
    let world = try await AdminWorld()
    let installation = world.installation
    try await installation.insertEvents(60)
    let browser = TestBrowser(installation, world.root)
    let first = await browser.get("/admin/audit")
    let cursor = try #require(next(in: first))
    let second = await browser.get("/admin/audit?after=\(cursor)")
    #expect(second.status == .ok)
    #expect(next(in: second) == nil)
    let rows = [first, second].map { $0.text.split(separator: "<tr><th scope=\"row\" class=\"when\">").count - 1 }
    #expect(rows == [50, 11])
    #expect(first.text.contains("authn_token_created"))
    #expect(second.text.contains("client_created") && !first.text.contains("client_created"))
    #expect(second.text.contains("<bdi>Field app</bdi>"))
  }

  @Test(
    "show of the audit log what the filter means, also on the next page",
    arguments: [
      ("kind=tokens", 60), ("kind=configuration", 1), ("kind=vends", 0), ("client=Field+app", 1), ("client=CLIENT", 1),
      ("account=Ana", 0), ("account=ACCOUNT&kind=people", 1), ("refused=1", 1), ("from=2000-01-01", 62),
      ("until=2000-01-01", 0), ("from=9000-01-01", 0), ("connection=Maps", 0), ("connection=maps", 0),
      ("from=2000-01-01&until=2000-01-01", 0),
    ])
  func filter(query: String, expected: Int) async throws {
    let world = try await AdminWorld()
    let installation = world.installation
    try await installation.insertEvents(60)
    let refused = AuditEvent(
      .accountChanged, .failure, at: installation.time.now, origin: .system, account: world.root.account.id)
    try await installation.store.write { try $0.insert(refused) }
    let browser = TestBrowser(installation, world.root)
    let query = query.replacing("CLIENT", with: world.client.id).replacing("ACCOUNT", with: "\(world.root.account.id)")
    var (path, rows): (String?, Int) = ("/admin/audit?\(query)", 0)
    for _ in 0..<3 {
      guard let next = path else { break }
      let page = await browser.get(next)
      #expect(page.status == .ok)
      rows += page.text.split(separator: "<tr><th scope=\"row\" class=\"when\">").count - 1
      path = nextPath(in: page)
    }
    #expect(rows == expected)
  }

  @Test(
    "say what is wrong with a filter",
    arguments: [
      ("account", "2026-02-30"), ("account", "acct_0123"), ("client", "2026-02-30"), ("client", "client_0123"),
      ("connection", "nonsense"), ("kind", "nonsense"), ("from", "2026-02-30"), ("until", "2026-02-30"),
      ("until", "2026-02-01&from=2026-02-02"),
    ])
  func filterMistakes(field: String, value: String) async throws {
    let world = try await AdminWorld()
    let page = await TestBrowser(world.installation, world.root).get("/admin/audit?\(field)=\(value)")
    #expect(page.status == 422)
    #expect(page.text.contains("id=\"\(field)-error\""))
  }

  @Test("do not give an older event the name of a connection that took its id later")
  func reusedID() async throws {
    let world = try await AdminWorld()
    let old = AuditEvent(
      .connected, at: world.connection.createdAt - 60, origin: .system, account: world.person.account.id,
      connection: world.connection.id)
    let new = AuditEvent(
      .disconnected, at: world.connection.createdAt, origin: .system, account: world.person.account.id,
      connection: world.connection.id)
    try await world.installation.store.write { tx in
      try tx.insert(old)
      try tx.insert(new)
    }
    let page = await TestBrowser(world.installation, world.root).get("/admin/audit?kind=services")
    let rows = page.text.split(separator: "<tr><th scope=\"row\" class=\"when\">").dropFirst()
    #expect(rows.map { $0.contains("<bdi>Maps</bdi>") } == [true, false])
    #expect(rows.allSatisfy { $0.contains("<code>maps</code>") })
  }

  @Test("take no cursor but their own", arguments: ["x", "", "MQpmb28KYmFy.key.bWFj", "accounts"])
  func cursors(cursor: String) async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let foreign = cursor == "accounts" ? world.installation.here.signed("0\nx\ny", for: "accounts") : cursor
    #expect(await browser.get("/admin/audit?after=\(foreign)").status == .badRequest)
  }

  /// Stores a credential in a state, and counts what the overview makes of it.
  private func health(
    _ state: Credential.State, access: Int64, refresh: Int64?, canRefresh: Bool, in world: AdminWorld? = nil
  ) async throws -> CredentialHealth? {
    let world = if let world { world } else { try await AdminWorld() }
    let (installation, now) = (world.installation, world.installation.time.now)
    let credential = Credential(
      id: CredentialID(random: "0123456789abcdef"), account: world.person.account.id, connection: world.connection.id,
      identity: UpstreamIdentity(
        connection: world.connection.id, issuer: "https://maps.example/portal", subject: "ana", displayName: "ana"),
      state: state, generation: 1, accessExpiresAt: now + access, refreshExpiresAt: refresh.map { now + $0 },
      canRefresh: canRefresh, connectedAt: now, refreshedAt: now, lastUsedAt: nil)
    try await installation.store.write { tx in
      let kek = try #require(try tx.purposeKeys().first?.sealed.kekID)
      try tx.put(credential, tokens: Sealed(kekID: kek, wrappedKey: [1], box: [1]))
    }
    let page = await TestBrowser(installation, world.root).get("/admin")
    #expect(page.status == .ok)
    return try await installation.here.administrationOverview().connections.first?.health
  }

  @Test(
    "tell healthy, expiring and broken credentials apart",
    arguments: [
      (Credential.State.active, 60, 14 * 86_400, true, "healthy"), (.active, -60, nil, true, "healthy"),
      (.active, 60, 3600, true, "expiring"), (.active, 3600, nil, false, "healthy"),
      (.active, 7 * 86_400, nil, false, "healthy"), (.active, -1, nil, false, "broken"),
      (.active, 60, -1, true, "broken"), (.reauthRequired, 60, 14 * 86_400, false, "broken"),
      (.closing, 60, nil, true, "none"),
    ] as [(Credential.State, Int64, Int64?, Bool, String)])
  func states(_ state: Credential.State, access: Int64, refresh: Int64?, canRefresh: Bool, expected: String)
    async throws
  {
    let health = try #require(try await health(state, access: access, refresh: refresh, canRefresh: canRefresh))
    let counts = ["healthy": health.healthy, "expiring": health.expiring, "broken": health.broken]
    #expect(counts.filter { $0.value == 1 }.map(\.key) == (expected == "none" ? [] : [expected]))
    #expect(health.total == (expected == "none" ? 0 : 1))
  }

  @Test(
    "call a credential ending as the account page does: a month before, or in the last third of a short life",
    arguments: [
      (Connection.Kind.token, 100, 69, false), (.token, 100, 71, true), (.token, 9, 5, false), (.token, 9, 7, true),
      (.certificate, 9, 0, true), (.certificate, 100, 69, false), (.apiKey, 20, 1, true),
    ])
  func margins(_ kind: Connection.Kind, life: Int64, day: Int64, isEnding: Bool) async throws {
    let world = try await AdminWorld()
    let id = world.connection.id
    _ = try await health(.active, access: life * 86_400, refresh: nil, canRefresh: false, in: world)
    let database = world.installation.database
    try await database.write { try $0.run("UPDATE connection SET kind = \(kind.rawValue) WHERE id = \(id.text)") }
    let now = world.installation.time.now + day * 86_400
    let seen = try await world.installation.store.read { tx in
      (try tx.credentialHealth(at: now).first, try tx.openCredentials(at: id, limit: 1).first)
    }
    #expect(seen.0?.expiring == (isEnding ? 1 : 0) && seen.1?.isEnding(at: now, of: kind) == isEnding)
  }
}
