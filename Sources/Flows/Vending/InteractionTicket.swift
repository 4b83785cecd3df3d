import Crypto
public import Domain

/// A link for the one person who has to act before an app can go on.
///
/// Bound to account, client and connection; good for ten minutes.
public struct InteractionTicket: Sendable, Equatable {
  public static let lifetime: Int64 = 10 * 60

  public let account: AccountID
  public let client: ClientID
  public let connection: ConnectionID
  public let expiresAt: Timestamp

  var text: String { "\(account.text)~\(client.text)~\(connection.text)~\(expiresAt.seconds)" }
}

extension Installation {
  /// The page where the person connects the service and allows the app to use it.
  public func interactionURI(_ interaction: Refusal.Interaction, account: AccountID, client: ClientID) -> String {
    let ticket = InteractionTicket(
      account: account, client: client, connection: interaction.connection,
      expiresAt: clock.now() + InteractionTicket.lifetime)
    return "\(issuer)/connect/\(interaction.connection)?ticket=\(authenticated(ticket))"
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
    guard words.count == 4, let account = AccountID(words[0]), let client = ClientID(words[1]),
      let connection = ConnectionID(words[2]), let seconds = Int64(words[3])
    else { return nil }
    let ticket = InteractionTicket(
      account: account, client: client, connection: connection, expiresAt: Timestamp(seconds: seconds))
    return ticket.expiresAt > clock.now() ? ticket : nil
  }
}
