import Domain
import Storage
import Testing

@Suite("Notices, and what it takes to tell them once")
struct NoticeTests {
  private let account = Samples.ana.id

  private func notice(_ random: String, _ kind: Notice.Kind = .newBrowser, after seconds: Int64 = 0) -> Notice {
    var facts = Notice.Facts()
    (facts.connection, facts.service, facts.app) = (Samples.connection().id, "Maps", "Viewer")
    (facts.passkey, facts.userAgent, facts.address) = ("Phone", "curl/8", "192.0.2.1")
    return Notice(
      id: NoticeID(random: random), account: account, kind: kind, facts: facts, at: Samples.now + seconds)
  }

  @Test("are read as they were written, newest first, each by its owner alone", arguments: TestDatabase.available)
  func reading(_ kind: TestDatabase) async throws {
    let (store, account) = (try await kind.makeStore(), account)
    try await store.insertBasics()
    let (first, second) = (notice("a"), notice("b", .serviceBroken, after: 5))
    try await store.write { tx in for one in [first, second] { try tx.insert(one) } }
    #expect(try await store.read { try $0.unreadNotices(of: account, limit: 9) } == [second, first])
    try await store.write { tx in
      try tx.markRead(first.id, of: Samples.ben.id, at: Samples.now + 9)
      try tx.markRead(second.id, of: account, at: Samples.now + 9)
    }
    #expect(try await store.read { try $0.unreadNotices(of: account, limit: 9) } == [first])
    #expect(try await store.read { try $0.countUnreadNotices(of: account) } == 1)
    #expect(try await store.read { try $0.notices(of: account, skipping: 1, limit: 9) } == [first])
    #expect(try await store.read { try $0.notice(second.id)?.readAt } == Samples.now + 9)
    #expect(try await store.read { try $0.countNotices(of: account, from: Samples.now + 1) } == 1)
    #expect(try await store.write { try $0.deleteNotices(before: Samples.now + 5) } == 1)
  }

  @Test("what was told of a service is read once it is over", arguments: TestDatabase.available)
  func over(_ kind: TestDatabase) async throws {
    let (store, account, connection) = (try await kind.makeStore(), account, Samples.connection().id)
    try await store.insertBasics()
    let (broken, other) = (notice("a", .serviceBroken), notice("b", .appFirstUse))
    try await store.write { tx in
      for one in [broken, other] { try tx.insert(one) }
      try tx.markRead(.serviceBroken, about: connection, of: account, at: Samples.now)
    }
    #expect(try await store.read { try $0.unreadNotices(of: account, limit: 9) } == [other])
  }

  @Test("a browser is new once, and the latest of an account is never forgotten", arguments: TestDatabase.available)
  func browsers(_ kind: TestDatabase) async throws {
    let (store, account) = (try await kind.makeStore(), account)
    try await store.insertBasics()
    #expect(try await !store.read { try $0.hasKnownBrowser(account) })
    let news = try await winners(20) {
      try await store.write { try $0.noteBrowser(Samples.hash(1), of: account, at: Samples.now) }
    }
    #expect(news == 1)
    #expect(try await store.write { try $0.noteBrowser(Samples.hash(2), of: account, at: Samples.now + 5) })
    #expect(try await store.write { try $0.deleteKnownBrowsers(before: Samples.now + 99) } == 1)
    #expect(try await store.write { try !$0.noteBrowser(Samples.hash(2), of: account, at: Samples.now + 6) })
    try await store.write { tx in
      for byte in UInt8(3)..<100 { _ = try tx.noteBrowser(Samples.hash(byte), of: account, at: Samples.now + 7) }
    }
    #expect(try await store.write { try $0.noteBrowser(Samples.hash(2), of: account, at: Samples.now + 8) })
  }

  @Test("an app uses something for the first time once", arguments: TestDatabase.available)
  func firstUse(_ kind: TestDatabase) async throws {
    let (store, account) = (try await kind.makeStore(), account)
    try await store.insertBasics()
    let (client, connection) = (Samples.client().id, Samples.connection().id)
    let firsts = try await winners(20) {
      try await store.write { try $0.insertFirstUse(of: connection, by: client, for: account, at: Samples.now) }
    }
    #expect(firsts == 1)
    let gone = ClientID(random: "gone")
    #expect(
      try await store.write { try !$0.insertFirstUse(of: connection, by: gone, for: account, at: Samples.now) })
  }

  @Test("a credential that stays broken tells once, until it works again", arguments: TestDatabase.available)
  func broken(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let (id, end) = (credential.id, Samples.now + 100_000)
    #expect(try await store.read { try $0.untoldEndedCredentials(at: end - 1, limit: 9) }.isEmpty)
    #expect(try await store.read { try $0.untoldEndedCredentials(at: end, limit: 9) }.map(\.id) == [id])
    let told = try await winners(20) { try await store.write { try $0.noteBroken(id, at: end) } }
    #expect(told == 1)
    #expect(try await store.read { try $0.untoldEndedCredentials(at: end, limit: 9) }.isEmpty)
    #expect(try await store.read { try $0.wasToldBroken(of: credential.account, for: credential.connection) })
    #expect(try await store.write { try $0.noteRecovered(id) })
    #expect(try await store.write { try !$0.noteRecovered(id) })
    #expect(try await store.write { try $0.noteBroken(id, at: end) })
  }
}
