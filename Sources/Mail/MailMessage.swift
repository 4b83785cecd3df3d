public import Domain

/// One mail as it goes over the wire: plain text in UTF-8, to one person.
public struct MailMessage: Sendable {
  /// What tells it from every other, and is the same when it is sent again: letters, digits and underscores.
  public let id: String
  public let sender: MailSender
  public let recipient: EmailAddress
  /// May hold anything; it is encoded.
  public let subject: String
  /// Lines that end with a line feed.
  public let body: String
  /// As RFC 5322 §3.3 writes it.
  public let date: String

  public init(
    id: String, from sender: MailSender, to recipient: EmailAddress, subject: String, body: String, date: String
  ) {
    self.id = id
    self.sender = sender
    self.recipient = recipient
    self.subject = subject
    self.body = body
    self.date = date
  }

  /// The message of RFC 5322; no value in it can end a line, since addresses are plain and all other text is encoded.
  public var bytes: [UInt8] {
    let host = sender.address.text.split(separator: "@").last ?? "localhost"
    let lines =
      [
        "Date: \(date)", "From: \(Self.encodedWords(sender.name)) <\(sender.address)>", "To: <\(recipient)>",
        "Subject: \(Self.encodedWords(subject))", "Message-ID: <\(id)@\(host)>",
        "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: base64", "",
      ] + Self.base64Lines(Array(body.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8)) + [""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// RFC 2047 §2: words of 75 characters at most, none of which cuts a character in two.
  private static func encodedWords(_ text: String) -> String {
    var (words, part): ([String], [UInt8]) = ([], [])
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if part.count + bytes.count > 42 {
        words.append(base64(part))
        part = []
      }
      part += bytes
    }
    if !part.isEmpty || words.isEmpty { words.append(base64(part)) }
    return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
  }

  /// RFC 2045 §6.8: lines of 76 characters.
  private static func base64Lines(_ bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: 57).map { base64(Array(bytes[$0..<min($0 + 57, bytes.count)])) }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32(start + $1 < bytes.count ? bytes[start + $1] : 0) }
      for place in 0..<4 {
        text.append(place > group.count ? UInt8(ascii: "=") : alphabet[Int(number >> (18 - 6 * UInt32(place)) & 63)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Who mails say that they are from.
public struct MailSender: Sendable, Equatable {
  public let name: String
  public let address: EmailAddress

  public init(name: String, address: EmailAddress) {
    self.name = name
    self.address = address
  }
}
