public import Crypto

/// An authenticator in memory that can also lie: makes one key and signs with it.
public struct TestAuthenticator: Sendable {
  public var relyingParty: String
  public var origin: String
  /// User present, user verified; for a new key, that one follows.
  public var flags: UInt8 = 0x05
  public var counter: UInt32 = 1
  public var credential: [UInt8] = Array(0..<32)
  public var crossOrigin = false
  public let key: SigningKey

  public init(
    relyingParty: String, origin: String, algorithm: SignatureAlgorithm = .es256
  ) throws {
    self.relyingParty = relyingParty
    self.origin = origin
    key = try SigningKey.generate(algorithm)
  }

  public func clientData(_ type: String, challenge: String) -> [UInt8] {
    let text = Base64URL.encode(Array(challenge.utf8))
    return Array(
      #"{"type":"\#(type)","challenge":"\#(text)","origin":"\#(origin)","crossOrigin":\#(crossOrigin)}"#.utf8)
  }

  /// The attestation object of the format `none`.
  public var attestation: [UInt8] {
    Self.map([("fmt", Self.text("none")), ("attStmt", [0xA0]), ("authData", Self.bytes(newKeyData))])
  }

  /// The authenticator data of the new key.
  public var newKeyData: [UInt8] {
    data(flags | 0x40) + [UInt8](repeating: 0, count: 16) + [
      UInt8(credential.count >> 8), UInt8(credential.count & 0xFF),
    ]
      + credential + cose
  }

  /// The authenticator data of an answer.
  public var answerData: [UInt8] { data(flags) }

  private func data(_ flags: UInt8) -> [UInt8] {
    SHA256.hash(relyingParty) + [flags] + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
  }

  public func signature(over clientData: [UInt8]) throws -> [UInt8] {
    let signature = try key.sign(answerData + SHA256.hash(clientData))
    return key.algorithm == .es256 ? Self.der(signature) : signature
  }

  /// The public key as COSE writes it.
  private var cose: [UInt8] {
    switch key.publicKey.parameters {
    case .p256(let x, let y):
      [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + Self.bytes(x) + [0x22] + Self.bytes(y)
    case .ed25519(let x): [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21] + Self.bytes(x)
    case .rsa(let modulus, let exponent):
      [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20] + Self.bytes(modulus) + [0x21] + Self.bytes(exponent)
    }
  }

  private static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
    members.reduce([0xA0 | UInt8(members.count)]) { $0 + text($1.0) + $1.1 }
  }

  private static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + text.utf8 }

  private static func bytes(_ bytes: [UInt8]) -> [UInt8] {
    [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  private static func der(_ signature: [UInt8]) -> [UInt8] {
    let numbers = [signature.prefix(32), signature.suffix(32)].flatMap { half -> [UInt8] in
      let digits = Array(half.drop { $0 == 0 })
      let number = (digits.first ?? 0x80) < 0x80 ? digits : [0] + digits
      return [0x02, UInt8(number.count)] + number
    }
    return [0x30, UInt8(numbers.count)] + numbers
  }
}
