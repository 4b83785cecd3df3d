import Domain
import Testing

@testable import Mail

@Suite("Mails as they go over the wire")
struct MailMessageTests {
  private func lines(subject: String = "Hello", name: String = "Gatehouse", body: String = "One\nTwo\n") throws
    -> [String]
  {
    let message = MailMessage(
      id: "mail_1", from: MailSender(name: name, address: try #require(EmailAddress("gate@mail.example"))),
      to: try #require(EmailAddress("ana@example.org")), subject: subject, body: body,
      date: "Mon, 23 Nov 2026 09:00:00 +0000")
    let text = String(decoding: message.bytes, as: UTF8.self)
    return text.replacing("\r\n", with: "\u{1}").split(separator: "\u{1}", omittingEmptySubsequences: false).map(
      String.init)
  }

  @Test("have all that a mail needs, and lines of lawful length")
  func wire() throws {
    let lines = try lines(body: String(repeating: "أهلا ", count: 60))
    #expect(lines.contains("Message-ID: <mail_1@mail.example>"))
    #expect(lines.contains("Auto-Submitted: auto-generated"))
    #expect(lines.contains("To: <ana@example.org>"))
    #expect(lines.contains("Date: Mon, 23 Nov 2026 09:00:00 +0000"))
    #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
  }

  @Test(
    "let no value make a header of its own", arguments: ["a\r\nBcc: x@y.example", "a\nb", "\u{0}", "=?utf-8?Q?x?="])
  func injection(text: String) throws {
    let lines = try lines(subject: text, name: text, body: "\(text)\r\n.\r\n")
    let fields = lines.prefix { !$0.isEmpty }.filter { !$0.hasPrefix(" ") }.map { String($0.prefix { $0 != ":" }) }
    #expect(
      fields == [
        "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
        "Content-Transfer-Encoding",
      ])
  }

  @Test("encode as RFC 4648 §10 has it", arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")])
  func base64(body: String, encoded: String) throws {
    let lines = try lines(body: body)
    let end = try #require(lines.firstIndex(of: ""))
    #expect(lines[(end + 1)...].joined() == encoded)
  }
}

@Suite("E-mail addresses")
struct EmailAddressTests {
  @Test("are taken", arguments: ["ana@example.org", "a.b+c@x-y.example", "root@localhost", "!#$%&'*+-/=?^_`{|}~@e.f"])
  func taken(text: String) { #expect(EmailAddress(text)?.text == text) }

  @Test(
    "are not taken",
    arguments: [
      "", "ana", "@", "ana@", "@example.org", "a b@c.d", "a@b@c", "a..b@c.d", ".a@c.d", "a@-c.d", "a@c-.d", "a@c..d",
      "a@c.d\r\nBcc: e@f.g", "<a@b.c>", "\"a\"@b.c", "ä@b.c", "a@[127.0.0.1]", "a,b@c.d",
      String(repeating: "a", count: 65) + "@b.c", "a@" + String(repeating: "b.", count: 130) + "c",
    ])
  func refused(text: String) { #expect(EmailAddress(text) == nil) }
}
