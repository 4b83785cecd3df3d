import Crypto
import Domain

/// An API key as an app holds it: `gh_sk_ID_SECRET_CHECKSUM`, or `gh_pk_…` for a publishable one.
///
/// The id finds the key, 43 characters of base64url are 256 random bits, and the checksum tells without a look-up that
/// something is missing. The beginning lets scanners find keys that leaked.
struct HeldAPIKey: Sendable {
  private static let idLength = 32
  private static let secretLength = 43
  private static let checksumLength = 8

  let text: Secret
  let id: APIKeyID

  /// A new secret of the key `id`.
  static func new(_ id: APIKeyID, _ kind: ClientAPIKey.Kind) -> HeldAPIKey {
    let random = id.text.dropFirst(ClientAPIKey.idPrefix.utf8.count + 1)
    let body = "\(kind.beginning)\(random)_\(Random.token())_"
    return HeldAPIKey(text: Secret(body + checksum(body[...])), id: id)
  }

  private init(text: Secret, id: APIKeyID) {
    self.text = text
    self.id = id
  }

  /// Takes what was presented; `nil` when it cannot be one, or a character of it was changed.
  init?(_ text: String) {
    guard let kind = ClientAPIKey.Kind.allCases.first(where: { text.hasPrefix($0.beginning) }) else { return nil }
    let beginning = kind.beginning.utf8.count
    let length = beginning + Self.idLength + 1 + Self.secretLength + 1 + Self.checksumLength
    guard text.utf8.count == length, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      Self.checksum(text.dropLast(Self.checksumLength)) == text.suffix(Self.checksumLength)
    else { return nil }
    let random = text.dropFirst(beginning).prefix(Self.idLength)
    guard let id = APIKeyID("\(ClientAPIKey.idPrefix)_\(random)") else { return nil }
    self.init(text: Secret(text), id: id)
  }

  /// Whether `text` begins like one.
  static func isMeant(by text: some StringProtocol) -> Bool {
    ClientAPIKey.Kind.allCases.contains { text.utf8.starts(with: $0.beginning.utf8) }
  }

  private static func checksum(_ body: Substring) -> String {
    let sum = CRC32.checksum(of: Array(body.utf8))
    return Hex.encode((0..<4).reversed().map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
  }
}

extension ClientAPIKey.Kind {
  /// What every key of the kind begins with.
  fileprivate var beginning: String {
    switch self {
    case .secret: "gh_sk_"
    case .publishable: "gh_pk_"
    }
  }
}
