internal import Crypto
internal import JSON

/// What a client publishes of itself: the keys that verify what it signs, and its own certificates (RFC 8705 §2.2.2).
public struct ClientKeySet: Sendable {
  public let keys: JWKSet
  /// SHA-256 of each certificate that stands with a key (`x5c`, RFC 7517 §4.7), or is named there (`x5t#S256`).
  public let certificates: [[UInt8]]
  /// Whether a private or secret key stands there, which nobody but its owner should have.
  public let holdsPrivateKey: Bool

  /// No key at all.
  public init() { (keys, certificates, holdsPrivateKey) = (JWKSet([]), [], false) }

  /// Reads a set; keys that are no good for signatures are left out.
  ///
  /// - Throws: ``JWKSetFailure``.
  public init(parsing bytes: [UInt8]) throws(JWKSetFailure) {
    keys = try JWKSet(parsing: bytes)
    do {
      let document = try JSONValue(parsing: bytes, limits: JSONLimits(size: JWKSet.sizeLimit))
      let members = document.array("keys") ?? []
      certificates = members.flatMap(Self.certificates)
      holdsPrivateKey = members.contains { key in JWK.privateMembers.contains { key[$0] != nil } }
    } catch { throw .json(error) }
  }

  private static func certificates(of key: JSONValue) -> [[UInt8]] {
    let named = key.string("x5t#S256").flatMap { Base64URL.decode($0) }
    let held = key.strings("x5c")?.first.flatMap { Base64.decode($0) }.map { SHA256.hash($0) }
    return [named, held].compactMap { $0 }
  }
}
