import Crypto
import JOSE
import JSON

/// Makes tokens that ``JWTSigner`` would never make.
enum Forge {
  /// A compact token with these exact bytes as header and payload, properly signed.
  static func token(header: String, payload: String, key: SigningKey) throws -> String {
    let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
    return "\(input).\(Base64URL.encode(try key.sign(Array(input.utf8))))"
  }

  /// A token whose code is made with HMAC under `secret`.
  static func symmetric(header: String, payload: String, secret: [UInt8]) -> String {
    let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
    return "\(input).\(Base64URL.encode(HMACSHA256(key: secret).authenticate(Array(input.utf8))))"
  }
}

/// Keys that several suites share, because making RSA keys takes long.
enum TestKeys {
  static func make(_ algorithm: SignatureAlgorithm) throws -> SigningKey { try .generate(algorithm, bits: 2048) }

  static let es256 = Result { try make(.es256) }
  static let rs256 = Result { try make(.rs256) }
}
