import Crypto
import Domain

/// A secret of ours that its holder keeps for long, and that says itself what it belongs to: `BEGINNING_ID_SECRET_CHECKSUM`.
///
/// The id finds what it opens, 43 characters of base64url are 256 random bits, and the checksum tells without a look-up
/// that something is missing. The beginning lets scanners find secrets that leaked.
struct IdentifiedSecret: Sendable {
  private static let idLength = 32
  private static let secretLength = 43
  private static let checksumLength = 8

  let text: Secret
  /// The id without its prefix.
  let id: String

  /// A new secret of what has the random `id`; `beginning` ends with an underscore.
  static func new(_ beginning: String, _ id: some StringProtocol) -> IdentifiedSecret {
    let body = "\(beginning)\(id)_\(Random.token())_"
    return IdentifiedSecret(text: Secret(body + checksum(body[...])), id: String(id))
  }

  private init(text: Secret, id: String) {
    self.text = text
    self.id = id
  }

  /// Takes what was presented; `nil` when it cannot be one, or a character of it was changed.
  init?(_ text: String, _ beginning: String) {
    let start = beginning.utf8.count
    let length = start + Self.idLength + 1 + Self.secretLength + 1 + Self.checksumLength
    guard text.hasPrefix(beginning), text.utf8.count == length, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      Self.checksum(text.dropLast(Self.checksumLength)) == text.suffix(Self.checksumLength)
    else { return nil }
    self.init(text: Secret(text), id: String(text.dropFirst(start).prefix(Self.idLength)))
  }

  private static func checksum(_ body: Substring) -> String {
    let sum = CRC32.checksum(of: Array(body.utf8))
    return Hex.encode((0..<4).reversed().map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
  }
}

extension Identifier {
  /// What follows the prefix.
  var random: Substring { text.dropFirst(Subject.idPrefix.utf8.count + 1) }
}
