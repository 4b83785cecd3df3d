import Domain
import Pages
import SQL
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("What people are told")
struct NoticeTests {
  private let test: TestInstallation
  private let provider: TestProvider
  private let credential: Credential

  init() async throws {
    test = try await TestInstallation()
    provider = try TestProvider()
    credential = try await test.credential(at: provider)
  }

  private func notices() async throws -> [Notice] {
    let account = test.account.id
    return try await test.store.read { try $0.notices(of: account, skipping: 0, limit: 99) }
  }

  @Test("a service that refuses what is stored, once, whatever is tried again")
  func refused() async throws {
    _ = try await test.interrupt(credential.id, posts: 2)
    for _ in 0..<3 {
      try await test.refreshing { [test] in try await RecoverRefreshes(test.here)() }
      try await TellOfEndings(test.here)()
    }
    #expect(try await test.held(credential.id)?.state == .reauthRequired)
    let told = try await notices()
    #expect(told.map(\.kind) == [.serviceBroken])
    #expect(
      told.first?.facts.connection == credential.connection && told.first?.path == "/connect/\(credential.connection)")
  }

  @Test("a sign-in that has run out, once, and that it works again when it is renewed after all")
  func ended() async throws {
    let (id, now) = (credential.id, test.time.now)
    try await test.database.write {
      try $0.run("UPDATE credential SET refresh_expires_at = \(now.seconds) WHERE id = \(id.text)")
    }
    for _ in 0..<2 { try await TellOfEndings(test.here)() }
    #expect(try await notices().map(\.kind) == [.serviceBroken])
    test.time.advance(by: 1)
    #expect(try await test.refreshOnce(id) == .refreshed)
    let told = try await notices()
    #expect(told.map(\.kind) == [.serviceRecovered, .serviceBroken])
    #expect(told.map { $0.readAt == nil } == [true, false], "what is over is read")
  }

  @Test("an app that uses a service for the first time, once, also in the next run of the program")
  func firstUse() async throws {
    let client = Client(
      id: ClientID(random: "0123456789abcdef"), name: "Viewer", kind: .confidential, redirectURIs: [],
      grants: [.authorizationCode], scope: Scope("vend") ?? .none, permissions: [], options: ClientOptions(),
      createdAt: test.time.now)
    try await test.store.write { try $0.insert(client) }
    let event = AuditEvent(
      .vended, at: test.time.now, origin: .system, account: test.account.id, client: client.id,
      connection: credential.connection)
    for _ in 0..<3 { try await test.here.recordVend(event, of: test.account.id, for: nil, by: nil) }
    let again = try await TestInstallation(after: test)
    try await again.here.recordVend(event, of: test.account.id, for: nil, by: nil)
    #expect(try await notices().map(\.words.english) == ["Viewer used \(credential.connection) for the first time."])
    #expect(try await test.count(.vended) == 4)
    try await again.here.recordVend(event, of: Account.service, for: nil, by: nil)
    #expect(try await notices().count == 1, "nobody is told what the service does by itself")
  }

  @Test(
    "every kind of notice has words, a page of ours, and none of them the words of another",
    arguments: Notice.Kind.allCases)
  func words(kind: Notice.Kind) {
    var facts = Notice.Facts()
    (facts.service, facts.app, facts.passkey, facts.userAgent) = ("Maps", "Viewer", "Phone", "Firefox/1 Linux")
    facts.address = "192.0.2.1"
    let notice = Notice(
      id: .random(), account: test.account.id, kind: kind, facts: facts, at: test.time.now)
    #expect(notice.words.english.hasSuffix("."))
    #expect(notice.place?.english == "Firefox on Linux, from 192.0.2.1")
    #expect(notice.path.hasPrefix("/account"))
  }
}
