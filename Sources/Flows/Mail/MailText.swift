import Domain
import HTTP
import Pages

/// What a mail says, before it is told in somebody's language.
struct MailText: Sendable {
  let subject: Words
  /// Paragraphs; empty ones are left out.
  let paragraphs: [Words]
  /// An address that stands on a line of its own.
  let link: String?

  init(_ notice: Notice, at issuer: String) {
    subject = notice.words
    var first = [notice.words]
    if let place = notice.place { first.append(place) }
    first.append(PageContext.timeWords(notice.at.seconds))
    paragraphs = first + [notice.advice].compactMap(\.self)
    link = issuer + notice.path
  }

  /// Asks who reads mail at an address whether it is that of an account; a stranger reads nothing that its owner wrote.
  init(confirming link: Secret, at issuer: String) {
    subject = "Confirm your e-mail address"
    paragraphs = [
      "Somebody who has an account at \(issuer) wants notices to be sent to this address.",
      "If that was you, open this link within an hour. If not, do nothing: nothing more is sent here.",
    ]
    self.link = link.revealedText
  }

  /// Tells the former address of an account.
  init(leaving account: Account, at issuer: String) {
    subject = "The e-mail address of your account was changed"
    paragraphs = [
      "Notices for the account \(account.name) at \(issuer) are not sent to this address any more.",
      "If that was not you, change your password and tell an administrator.",
    ]
    link = "\(issuer)/account/security"
  }

  /// Lets somebody set a forgotten password.
  init(resetting link: Secret, for account: Account, at issuer: String) {
    subject = "Set a new password"
    paragraphs = [
      "Somebody asked for a new password for the account \(account.username ?? account.name) at \(issuer).",
      "If that was you, open this link within an hour. If not, do nothing: your password stays as it is.",
    ]
    self.link = link.revealedText
  }

  /// The text in a language, as plain lines.
  func body(of organisation: String, _ catalogues: Catalogues, in language: String) -> String {
    // A name that somebody chose must not make lines of its own.
    let told = paragraphs.map { paragraph in
      String(catalogues.text(of: paragraph, in: language).map { $0.isNewline ? " " : $0 })
    }
    let foot = catalogues.text(
      of: "\(organisation) sent this mail because of your account there. Nobody reads answers to it.", in: language)
    let parts = told + [link].compactMap(\.self) + ["--\n\(foot)"]
    return parts.joined(separator: "\n\n") + "\n"
  }
}

extension Timestamp {
  /// As RFC 5322 §3.3 writes it.
  var mailDate: String { String(HTTPDate.format(Int(seconds)).dropLast("GMT".count)) + "+0000" }
}
