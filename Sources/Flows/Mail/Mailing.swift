public import Domain
public import Mail
public import Pages

/// How this installation sends mail.
public struct Mailing: Sendable {
  let client: MailClient
  let sender: MailSender
  let catalogues: Catalogues

  public init(_ client: MailClient, from sender: MailSender, in catalogues: Catalogues) {
    self.client = client
    self.sender = sender
    self.catalogues = catalogues
  }
}

extension Installation {
  /// Whether people can be reached by mail.
  public var canMail: Bool { mailing != nil }

  /// Sends a mail that says only that mails arrive, and waits until the server has taken it.
  ///
  /// - Throws: `Refusal` that says why it was not sent.
  public func testMail(to recipient: EmailAddress) async throws {
    guard let mailing else {
      throw Refusal(.invalidRequest, "No mail is sent here: set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM first.")
    }
    let mail = MailMessage(
      id: OutgoingMailID.random().text, from: mailing.sender, to: recipient, subject: "Mail from Gatehouse arrives",
      body: "This is the test mail of \(issuer) that an administrator asked for.\n", date: clock.now().mailDate)
    if let failure = await mailing.client.send([mail]).first ?? nil {
      throw Refusal(
        .temporarilyUnavailable, "The mail server \(mailing.client.server.host) did not take the mail: \(failure)")
    }
  }
}
