import Crypto
public import Domain
import HTTP

/// A link for the one person who has to act before an app can go on.
///
/// Bound to account, client and connection; good for ten minutes.
public struct InteractionTicket: Sendable, Equatable {
  public static let lifetime: Int64 = 10 * 60

  public let account: AccountID
  public let client: ClientID
  public let connection: ConnectionID
  public let expiresAt: Timestamp
  /// What the app wants to call, as a hash: the link leads to no other URL.
  public var resource: TokenHash?

  var text: String {
    let words = [account.text, client.text, connection.text, String(expiresAt.seconds)]
    return (words + [resource.map { Base64URL.encode($0.bytes) }].compactMap(\.self)).joined(separator: "~")
  }
}

extension Installation {
  /// The page where the person connects the service and allows the app to use it: with every layer of the URL that the
  /// app wants to call, where it named one.
  public func interactionURI(_ interaction: Refusal.Interaction, account: AccountID, client: ClientID) -> String {
    var ticket = InteractionTicket(
      account: account, client: client, connection: interaction.connection,
      expiresAt: clock.now() + InteractionTicket.lifetime)
    guard let resource = interaction.resource else {
      return "\(issuer)/connect/\(interaction.connection)?ticket=\(authenticated(ticket))"
    }
    ticket.resource = TokenHash(of: resource.withoutQuery)
    let items: QueryItems = ["resource": resource.withoutQuery, "ticket": authenticated(ticket)]
    return items.appended(to: "\(issuer)/connect")
  }

  private func authenticated(_ ticket: InteractionTicket) -> String {
    let key = purposeKeys.current(.pages)
    let mac = key.mac.authenticate(Array("ticket|\(ticket.text)".utf8))
    return "\(key.id).\(Base64URL.encode(Array(ticket.text.utf8))).\(Base64URL.encode(mac))"
  }

  /// Reads a ticket of ours that has not expired.
  public func ticket(_ presented: String) -> InteractionTicket? {
    let parts = presented.split(separator: ".").map(String.init)
    guard parts.count == 3, let key = purposeKeys.key(parts[0], for: .pages),
      let bytes = Base64URL.decode(parts[1]), let mac = Base64URL.decode(parts[2])
    else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard key.mac.isValid(mac, for: Array("ticket|\(text)".utf8)) else { return nil }
    let words = text.split(separator: "~").map(String.init)
    guard words.count == 4 || words.count == 5, let account = AccountID(words[0]), let client = ClientID(words[1]),
      let connection = ConnectionID(words[2]), let seconds = Int64(words[3])
    else { return nil }
    var ticket = InteractionTicket(
      account: account, client: client, connection: connection, expiresAt: Timestamp(seconds: seconds))
    ticket.resource = words.count == 5 ? Base64URL.decode(words[4]).map(TokenHash.init(bytes:)) : nil
    return ticket.expiresAt > clock.now() ? ticket : nil
  }
}

extension ResourceURL {
  /// The URL as it stands in a ticket, since no parameter of ours but one holds a URL.
  public var ticketText: String { Base64URL.encode(Array(text.utf8)) }

  public init?(ticketText: String) {
    guard let bytes = Base64URL.decode(ticketText) else { return nil }
    self.init(String(decoding: bytes, as: UTF8.self))
  }
}

extension InteractionTicket {
  /// Whether an app was given it to call `url`.
  public func isFor(_ url: ResourceURL) -> Bool { resource == TokenHash(of: url.withoutQuery) }
}
