import Crypto
public import Domain

/// A random value of ours to hand out, with the hash that the store keeps.
public struct NewToken: Sendable {
  /// 43 characters of base64url: 256 random bits.
  public let secret: Secret
  public let hash: TokenHash

  public init() {
    let text = Random.token()
    secret = Secret(text)
    hash = TokenHash(of: text)
  }
}

extension TokenHash {
  /// Hashes a token as it was presented.
  public init(of token: String) { self.init(bytes: SHA256.hash(token)) }
}

extension Identifier {
  /// A new identifier with 128 random bits.
  static func random() -> Identifier { Identifier(random: Hex.encode(Random.bytes(16))) }
}
