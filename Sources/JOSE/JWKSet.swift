public import Crypto
public import JSON

/// Why a document is no set of keys.
public enum JWKSetFailure: Error, Equatable {
  /// No JSON, or longer than 256 KiB.
  case json(JSONFailure)
  /// No object with an array `keys`.
  case malformed
  /// More than 100 keys.
  case tooManyKeys
}

/// The keys an issuer publishes (RFC 7517 §5).
public struct JWKSet: Sendable {
  /// Bytes of the longest document that is read.
  public static let sizeLimit = 256 * 1024
  /// Keys in the largest set that is read.
  public static let countLimit = 100

  /// The keys that can verify signatures.
  public let keys: [JWK]

  public init(_ keys: [JWK]) { self.keys = keys }

  /// Reads a set; keys of other kinds and uses are left out, as RFC 7517 §5 asks, and so are broken ones.
  ///
  /// - Throws: ``JWKSetFailure``.
  public init(parsing bytes: [UInt8]) throws(JWKSetFailure) {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: bytes, limits: JSONLimits(size: Self.sizeLimit))
    } catch {
      throw .json(error)
    }
    guard let values = document.array("keys") else { throw .malformed }
    guard values.count <= Self.countLimit else { throw .tooManyKeys }
    keys = values.compactMap(Self.usable)
  }

  private static func usable(_ value: JSONValue) -> JWK? {
    do { return try JWK(value) } catch { return nil }
  }

  /// The one key that is meant.
  ///
  /// - Parameters:
  ///   - keyID: The token's `kid`. Without one, the only key for `algorithm` is meant.
  ///   - algorithm: The token's `alg`.
  /// - Returns: The key, ready for `algorithm`.
  /// - Throws: ``JWSFailure/unknownKey``, or ``JWSFailure/ambiguousKey`` when several keys fit.
  public func key(for keyID: String?, algorithm: SignatureAlgorithm) throws(JWSFailure) -> VerificationKey {
    let candidates = keys.filter { key in
      guard let keyID else { return true }
      return key.keyID.map { exactlyEqual($0, keyID) } ?? false
    }
    let fitting = candidates.compactMap { $0.key(for: algorithm) }
    guard let key = fitting.first else { throw .unknownKey }
    guard fitting.count == 1 else { throw .ambiguousKey }
    return key
  }

  /// The keys that may sign for one tenant: those published for `issuer`, for every tenant, or for nobody by name.
  func keys(of tenant: String, issuer: String) -> JWKSet {
    JWKSet(
      keys.filter { key in
        key.issuer.map { exactlyEqual($0.replacing("{tenantid}", with: tenant), issuer) } ?? true
      })
  }

  /// The set as others read it, public parts only.
  public var json: JSONValue { ["keys": .array(keys.map(\.json))] }
}
