import Domain
import Storage
import Testing

@Suite("The outbox of mails, and addresses")
struct MailTests {
  private let account = Samples.ana.id

  private func address(_ text: String = "ana@example.org") throws -> EmailAddress { try #require(EmailAddress(text)) }

  @Test("a mail is taken by one at a time, until it is sent", arguments: TestDatabase.available)
  func outbox(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let notice = Notice(
      id: NoticeID(random: "a"), account: account, kind: .newBrowser, facts: .init(), at: Samples.now)
    let mails = [OutgoingMail.Subject.notice(notice.id), .confirmation, .formerAddress, .passwordLink]
    let recipient = try address()
    let account = account
    try await store.write { tx in
      try tx.insert(notice)
      for (number, subject) in mails.enumerated() {
        let mail = OutgoingMail(
          id: OutgoingMailID(random: "m\(number)"), account: account, subject, to: recipient, expiresAt: Samples.now + 9
        )
        try tx.insert(mail, nextAttemptAt: Samples.now)
      }
    }
    #expect(try await store.write { try $0.takeDueMails(at: Samples.now - 1, until: Samples.now + 60) }.isEmpty)
    let taken = try await store.write { try $0.takeDueMails(at: Samples.now, until: Samples.now + 60) }
    #expect(taken.map(\.subject) == mails && taken.allSatisfy { $0.attempts == 1 && $0.recipient == recipient })
    #expect(try await store.write { try $0.takeDueMails(at: Samples.now + 59, until: Samples.now + 60) }.isEmpty)
    try await store.write { tx in
      try tx.makeMailsDue(at: Samples.now + 1)
      try tx.deleteMails(.confirmation, of: account)
      try tx.postpone(taken[3].id, until: Samples.now + 5)
    }
    let again = try await store.write { try $0.takeDueMails(at: Samples.now + 1, until: Samples.now + 60) }
    #expect(again.map(\.subject) == [mails[0], mails[2]] && again.allSatisfy { $0.attempts == 2 })
    #expect(try await store.write { try $0.deleteMail(taken[0].id) })
    #expect(try await store.write { try !$0.deleteMail(taken[0].id) })
  }

  @Test("an address counts once its link is used, by one of many", arguments: TestDatabase.available)
  func change(_ kind: TestDatabase) async throws {
    let (store, account) = (try await kind.makeStore(), account)
    try await store.insertBasics()
    let change = EmailChange(account: account, address: try address())
    let end = Samples.now + EmailChange.lifetime
    try await store.write { try $0.put(change, expiresAt: end) }
    #expect(try await store.read { try $0.waitingEmailChange(of: account, at: Samples.now) } == change)
    let other = EmailChange(account: account, address: try address("eve@example.org"))
    #expect(try await store.write { try !$0.setLink(Samples.hash(1), of: other, expiresAt: end) })
    #expect(try await store.write { try $0.setLink(Samples.hash(1), of: change, expiresAt: end) })
    #expect(try await store.read { try $0.emailChange(Samples.hash(1), at: end) } == nil)
    let won = try await winners(20) {
      try await store.write { try $0.consumeEmailChange(Samples.hash(1), at: Samples.now) } != nil
    }
    #expect(won == 1)
    try await store.write { tx in
      try tx.setLanguage("de", of: account)
      try tx.setEmailAddress(change.address, of: account)
    }
    #expect(try await store.read { try $0.emailAddress(of: account) } == change.address)
    #expect(try await store.read { try $0.language(of: account) } == "de")
    try await store.write { try $0.setEmailAddress(nil, of: account) }
    #expect(try await store.read { try $0.emailAddress(of: account) } == nil)
    try await store.write { try $0.put(other, expiresAt: end) }
    #expect(try await store.write { try $0.deleteEmailChanges(expiredBefore: end) } == 1)
  }
}
