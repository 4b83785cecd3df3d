import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("The administration: accounts") struct AdminAccountTests {
  @Test("end with their sessions and tokens at once when disabled")
  func disable() async throws {
    let world = try await AdminWorld()
    let installation = world.installation
    let tokens = try await installation.tokens(for: world.client, world.person)
    let browser = TestBrowser(installation, world.root)
    let path = "/admin/accounts/\(world.person.account.id)"
    let answer = try await browser.submit([:], on: "/admin/accounts", to: "\(path)/disable")
    let notice = await browser.follow(answer).text
    #expect(notice.contains("<bdi>Ana</bdi> was disabled."))
    #expect(notice.contains("a token of one that an app got before works until it ends by itself"))
    #expect(await TestBrowser(installation, world.person).get("/account").status == .seeOther)
    #expect(try await installation.introspect(tokens.access, world.client).bool("active") == false)
    let refresh = await installation.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh], basic: world.client.basic)
    #expect(refresh.status == .badRequest)
    let event = try #require(try await installation.audit().first { $0.name == .accountChanged })
    #expect(event.account == world.person.account.id)
    #expect(event.actor == .account(world.root.account.id) && event.detail == "disable")
    #expect(await row(of: .accountChanged, world) == ["Root Administrator from 127.0.0.1", "Account Ana"])

    _ = try await browser.submit([:], on: "/admin/accounts", to: "\(path)/enable")
    #expect(try await installation.store.read { try $0.account(world.person.account.id)?.isDisabled } == false)
    #expect(await TestBrowser(installation, world.person).get("/account").status == .seeOther)
  }

  /// Who did the latest thing of this name, and to whom, as the audit page says it.
  private func row(of name: AuditEvent.Name, _ world: AdminWorld) async -> [String] {
    let page = await TestBrowser(world.installation, world.root).get("/admin/audit").text
    let row = page.split(separator: "<tr>").first { $0.contains(name.rawValue) } ?? ""
    return ["Who", "About"].map { label in
      let cell = row.split(separator: "data-label=\"\(label)\">").last?.split(separator: "</td>").first ?? ""
      let texts = cell.split(separator: "<").map { $0.split(separator: ">", maxSplits: 1).dropFirst().joined() }
      return texts.map(\.trimmed).filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  @Test("changed by the command line say so in the audit, to the second")
  func commandLine() async throws {
    let world = try await AdminWorld()
    let (here, id) = (world.installation.here, world.person.account.id)
    try await ChangeAccount(here)(id, disabled: true, by: nil, .commandLine)
    #expect(try await world.installation.audit().first?.actor == .commandLine)
    #expect(await row(of: .accountChanged, world) == ["Command line", "Account Ana"])
    try await ChangeConnection(here)(
      .disable, world.connection.id, by: world.root.account.id,
      TestInstallation.visitor.acting(as: world.root.account.id))
    #expect(await row(of: .connectionChanged, world)[1] == "Connection Maps maps")
    let page = await TestBrowser(world.installation, world.root).get("/admin/audit").text
    #expect(page.firstRange(of: /<time datetime="[0-9-]+T[0-9]{2}:[0-9]{2}:[0-9]{2}Z">/) != nil)
  }

  @Test("of one's own cannot be disabled")
  func own() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let page = await browser.get("/admin/accounts")
    #expect(!page.text.contains("/admin/accounts/\(world.root.account.id)/"))
    let answer = await browser.submit([:], after: page, to: "/admin/accounts/\(world.root.account.id)/disable")
    #expect(answer.status == .badRequest)
    #expect(await browser.get("/admin").status == .ok)
  }

  @Test("of the last active administrator cannot be disabled, on the command line neither")
  func last() async throws {
    let installation = try await TestInstallation()
    let first = try await installation.administrator("First")
    let second = try await installation.administrator("Second")
    let change = ChangeAccount(installation.here)
    try await change(second.account.id, disabled: true, by: nil, TestInstallation.visitor)
    let refusal = await #expect(throws: Refusal.self) {
      try await change(first.account.id, disabled: true, by: nil, TestInstallation.visitor)
    }
    #expect(refusal?.description.contains("last active administrator") == true)
    #expect(await TestBrowser(installation, first).get("/admin").status == .ok)
    try await change(second.account.id, disabled: false, by: nil, TestInstallation.visitor)
    try await change(first.account.id, disabled: true, by: nil, TestInstallation.visitor)
    #expect(await TestBrowser(installation, first).get("/admin").status == .seeOther)
  }

  @Test("of two administrators who disable each other at once: one stays")
  func eachOther() async throws {
    let installation = try await TestInstallation()
    let (a, b) = (try await installation.administrator("A"), try await installation.administrator("B"))
    let change = ChangeAccount(installation.here)
    let changed = await withTaskGroup(of: Bool.self) { group in
      for (who, whom) in [(a, b), (b, a)] {
        group.addTask {
          do {
            try await change(whom.account.id, disabled: true, by: who.account.id, TestInstallation.visitor)
            return true
          } catch { return false }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(changed == 1)
  }

  @Test("show how many browsers are signed in, and how people sign in")
  func list() async throws {
    let world = try await AdminWorld()
    _ = try await world.installation.session(of: world.person.account)
    let identity = UpstreamIdentity(
      connection: world.connection.id, issuer: "https://maps.example/portal", subject: "ana", displayName: "ana_maps")
    let now = world.installation.time.now
    let left = Account(id: AccountID(random: "ben"), name: "Ben", username: nil, role: .person, createdAt: now)
    try await world.installation.store.write {
      try $0.link(identity, to: world.person.account.id, at: now)
      try $0.insert(left)
    }
    let entries = try await world.installation.here.accounts(after: nil).entries
    let ana = try #require(entries.first { $0.account.id == world.person.account.id })
    #expect(ana.sessions == 2)
    #expect(ana.connection?.name == "Maps" && ana.connection?.identity == "ana_maps")
    let page = await TestBrowser(world.installation, world.root).get("/admin/accounts")
    #expect(page.text.contains("data-label=\"Signs in with\"><bdi>Maps</bdi>"))
    #expect(page.text.contains("<bdi>Nothing: its connection is gone</bdi>"))
  }
}
