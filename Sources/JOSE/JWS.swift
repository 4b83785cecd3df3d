public import Crypto
public import JSON

/// A signed token in compact form, parsed but not yet verified (RFC 7515 §7.1).
///
/// What exists has three canonical parts, a known asymmetric algorithm, and no extension. The payload comes
/// out only with a key: ``payload(verifiedBy:)``.
public struct JWS: Sendable {
  /// The whole protected header.
  public let header: JSONValue
  public let algorithm: SignatureAlgorithm
  /// `kid`: data to look a key up by, never part of a path or a query.
  public let keyID: String?
  /// `typ`, as written.
  public let type: String?
  /// The payload that nobody has vouched for: good for finding out whose key to try, for nothing else.
  public let unverifiedPayload: [UInt8]

  private let signingInput: [UInt8]
  private let signature: [UInt8]

  /// Parses a compact token.
  ///
  /// - Parameters:
  ///   - token: Three parts; anything else, also JSON serialization and encrypted tokens, is malformed.
  ///   - sizeLimit: Bytes of the whole token.
  ///   - allowsEmbeddedKey: Whether a `jwk` header may stand there, as in DPoP proofs (RFC 9449 §4.2); it
  ///     is never used as a key here.
  /// - Throws: ``JWSFailure``.
  public init(
    parsing token: String, sizeLimit: Int = 16_384, allowsEmbeddedKey: Bool = false
  ) throws(JWSFailure) {
    guard token.utf8.count <= sizeLimit else { throw .tooLong }
    let bytes = Array(token.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
      let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
    else { throw .malformed }
    header = try Self.object(headerBytes)
    unverifiedPayload = payload
    signingInput = Array(bytes[..<parts[1].endIndex])
    self.signature = signature
    algorithm = try Self.algorithm(in: header)
    keyID = try Self.text("kid", in: header)
    type = try Self.text("typ", in: header)
    guard header["jku"] == nil, header["x5u"] == nil, allowsEmbeddedKey || header["jwk"] == nil else {
      throw .embeddedKey
    }
  }

  /// Reads a JSON object; anything else is malformed, also a name that comes twice.
  static func object(_ bytes: [UInt8]) throws(JWSFailure) -> JSONValue {
    do {
      let value = try JSONValue(parsing: bytes)
      if case .object = value { return value }
    } catch {
      throw .malformed
    }
    throw .malformed
  }

  private static func algorithm(in header: JSONValue) throws(JWSFailure) -> SignatureAlgorithm {
    guard header["crit"] == nil, header["b64"] == nil else { throw .unknownExtension }
    guard let name = header.string("alg") else { throw .malformed }
    guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .algorithmNotAllowed }
    return algorithm
  }

  private static func text(_ name: String, in header: JSONValue) throws(JWSFailure) -> String? {
    guard let value = header[name] else { return nil }
    guard let text = value.string else { throw .malformed }
    return text
  }

  /// Whether `typ` is this media type, compared as RFC 7515 §4.1.9 says: without case, `application/` left out.
  public func hasType(_ name: String) -> Bool {
    guard let type = type?.lowercased() else { return false }
    return exactlyEqual(type, name) || exactlyEqual(type, "application/\(name)")
  }

  /// The payload, when `key` signed it with its one algorithm.
  ///
  /// - Throws: ``JWSFailure/algorithmNotAllowed`` or ``JWSFailure/badSignature``.
  public func payload(verifiedBy key: VerificationKey) throws(JWSFailure) -> [UInt8] {
    guard key.algorithm == algorithm else { throw .algorithmNotAllowed }
    guard key.isValid(signature, for: signingInput) else { throw .badSignature }
    return unverifiedPayload
  }

  /// The payload, when the key of the set that the header names signed it.
  ///
  /// - Parameters:
  ///   - keys: The issuer's keys.
  ///   - algorithms: What the issuer may use.
  /// - Returns: The payload, vouched for by the issuer.
  /// - Throws: ``JWSFailure``; ``JWSFailure/unknownKey`` when the set may be out of date.
  public func payload(
    verifiedBy keys: JWKSet, allowing algorithms: Set<SignatureAlgorithm>
  ) throws(JWSFailure) -> [UInt8] {
    guard algorithms.contains(algorithm) else { throw .algorithmNotAllowed }
    return try payload(verifiedBy: keys.key(for: keyID, algorithm: algorithm))
  }
}

/// Whether two texts have the same bytes; `==` would take canonically equivalent texts for equal.
func exactlyEqual(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
