import Crypto
public import Domain

/// The key that wraps every other key; it comes from outside the database (reference: KM-01).
public struct KeyEncryptionKey: Sendable {
  /// Short, made from the key, safe to show.
  public let id: String
  private let key: Secret
  private let derivation: DerivationKey

  private static let label = "gatehouse-kek-v1"

  /// Makes a new random key.
  public static func random() -> KeyEncryptionKey { KeyEncryptionKey(bytes: Random.bytes(32)) }

  private init(bytes: [UInt8]) {
    key = Secret(bytes)
    derivation = DerivationKey(bytes)
    id = Hex.encode(Array(SHA256.hash(Array(Self.label.utf8) + bytes).prefix(4)))
  }

  /// Reads the text of a key file: one line, the format's name and 32 bytes in base64url.
  ///
  /// - Throws: ``KeyFailure/unreadableFile``.
  public init(fileText: Secret) throws(KeyFailure) {
    let words = fileText.revealedText.split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == Self.label, let bytes = Base64URL.decode(String(words[1])), bytes.count == 32
    else { throw .unreadableFile }
    self.init(bytes: bytes)
  }

  /// The text to keep in the key file.
  public var fileText: Secret { Secret("\(Self.label) \(Base64URL.encode(key.revealed))\n") }

  /// A key of one purpose and place, made from this one (RFC 5869); this key itself encrypts nothing.
  func derived(_ info: String) -> [UInt8] { derivation.derive(Array("gatehouse/\(info)".utf8)) }

  /// What the database keeps to recognise the key.
  func checkValue() -> [UInt8] { HMACSHA256(key: derived("check/v1")).authenticate(Array(id.utf8)) }
}

/// Why the keys of an installation cannot be used.
public enum KeyFailure: Error, Equatable {
  case unreadableFile
  /// The database holds values sealed under `needed`, and none of the keys at hand is it.
  case wrongKey(needed: [String], given: String)
  /// A sealed value does not open: it was changed, moved to another row, or made for other endpoints.
  case notAuthentic
}
