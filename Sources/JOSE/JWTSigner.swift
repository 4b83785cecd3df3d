public import Crypto
public import JSON

/// Signs tokens with one key under one header, which is encoded once.
public struct JWTSigner: Sendable {
  /// The private key.
  public let key: SigningKey
  /// `kid` of every token.
  public let keyID: String?

  private let encodedHeader: [UInt8]

  /// Prepares a signer.
  ///
  /// - Parameters:
  ///   - key: Decides `alg`.
  ///   - keyID: `kid`; left out when `nil`.
  ///   - type: `typ`, for example `at+jwt` (RFC 9068 §2.1); tokens for different uses must differ here.
  ///   - members: Further header members, such as `x5t`.
  public init(key: SigningKey, keyID: String?, type: String?, members: [JSONValue.Member] = []) {
    self.key = key
    self.keyID = keyID
    let header = JSONWriter.object { header in
      header.member("alg", key.algorithm.rawValue)
      header.member("typ", ifPresent: type)
      header.member("kid", ifPresent: keyID)
      for member in members { header.member(member.name, member.value) }
    }
    var encoded: [UInt8] = []
    Base64URL.encode(header, into: &encoded)
    encodedHeader = encoded + [UInt8(ascii: ".")]
  }

  /// Signs claims that already are JSON.
  ///
  /// - Returns: The compact token (RFC 7515 §7.1) in ASCII.
  public func sign(_ claims: [UInt8]) throws(CryptoError) -> [UInt8] {
    var token: [UInt8] = []
    token.reserveCapacity(encodedHeader.count + claims.count * 4 / 3 + 520)
    token.append(contentsOf: encodedHeader)
    Base64URL.encode(claims, into: &token)
    let signature = try key.sign(token)
    token.append(UInt8(ascii: "."))
    Base64URL.encode(signature, into: &token)
    return token
  }

  /// Signs claims.
  ///
  /// - Returns: The compact token.
  public func sign(_ claims: JSONValue) throws(CryptoError) -> String {
    String(decoding: try sign(claims.encoded()), as: UTF8.self)
  }
}
