public import Crypto
public import JSON

/// Why a JSON Web Key cannot be used to verify signatures.
public enum JWKFailure: Error, Equatable {
  /// A member that must be there is missing or has the wrong type; its name.
  case member(String)
  /// A kind, curve, algorithm, use or operation that is not for our signatures; the member's name.
  case unsupported(String)
  /// It carries a private or secret part, so it is not a public key, or no longer.
  case notPublic
  /// The numbers are no good key; why.
  case weak(String)
}

/// A public key for signatures as JSON (RFC 7517, RFC 7518 §6, RFC 8037 §2).
public struct JWK: Sendable {
  /// `kid`, how tokens name the key.
  public let keyID: String?
  /// The issuer that Microsoft Entra publishes a key for, `{tenantid}` in it standing for any tenant.
  public let issuer: String?
  /// The key's numbers.
  public let parameters: PublicKeyParameters
  /// The key, once for each algorithm it may be used with: the one `alg` names, else each that fits.
  public let keys: [VerificationKey]

  /// Names one of our keys for others.
  ///
  /// - Parameters:
  ///   - key: The public half.
  ///   - keyID: `kid`; the key's thumbprint when `nil`.
  public init(_ key: VerificationKey, keyID: String? = nil) {
    self.keyID = keyID ?? Base64URL.encode(Self.thumbprint(of: key.parameters))
    issuer = nil
    parameters = key.parameters
    keys = [key]
  }

  /// Reads somebody else's key.
  ///
  /// - Parameter value: A JSON object; members that are not known are ignored, certificates among them.
  /// - Throws: ``JWKFailure``.
  public init(_ value: JSONValue) throws(JWKFailure) {
    guard case .object(let members) = value else { throw .member("keys") }
    guard members.allSatisfy({ !Self.privateMembers.contains($0.name) }) else { throw .notPublic }
    keyID = try Self.text("kid", in: value)
    issuer = value.string("issuer")
    if let use = try Self.text("use", in: value), use != "sig" { throw .unsupported("use") }
    if let operations = value["key_ops"] {
      guard let operations = operations.strings else { throw .member("key_ops") }
      guard operations.contains("verify") else { throw .unsupported("key_ops") }
    }
    parameters = try Self.parameters(in: value)
    keys = try Self.keys(parameters, algorithm: try Self.text("alg", in: value))
  }

  /// The key for one algorithm, when it may be used with it.
  public func key(for algorithm: SignatureAlgorithm) -> VerificationKey? {
    keys.first { $0.algorithm == algorithm }
  }

  static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

  private static func parameters(in value: JSONValue) throws(JWKFailure) -> PublicKeyParameters {
    switch (try text("kty", in: value), try text("crv", in: value)) {
    case ("EC", "P-256"): .p256(x: try number("x", in: value), y: try number("y", in: value))
    case ("OKP", "Ed25519"): .ed25519(x: try number("x", in: value))
    case ("RSA", _): .rsa(modulus: try number("n", in: value), exponent: try number("e", in: value))
    case ("EC", _), ("OKP", _): throw .unsupported("crv")
    default: throw .unsupported("kty")
    }
  }

  private static func keys(
    _ parameters: PublicKeyParameters, algorithm name: String?
  ) throws(JWKFailure) -> [VerificationKey] {
    let algorithms = SignatureAlgorithm.allCases.filter { algorithm in
      parameters.fits(algorithm) && (name.map { $0 == algorithm.rawValue } ?? true)
    }
    guard !algorithms.isEmpty else { throw .unsupported("alg") }
    do {
      return try algorithms.map { (algorithm) throws(CryptoError) in
        try VerificationKey(parameters, algorithm: algorithm)
      }
    } catch .invalidKey(let reason) {
      throw .weak(reason)
    } catch {
      throw .weak("OpenSSL refuses it.")
    }
  }

  private static func text(_ name: String, in value: JSONValue) throws(JWKFailure) -> String? {
    guard let member = value[name] else { return nil }
    guard let text = member.string else { throw .member(name) }
    return text
  }

  private static func number(_ name: String, in value: JSONValue) throws(JWKFailure) -> [UInt8] {
    guard let bytes = value.string(name).flatMap({ Base64URL.decode($0) }), !bytes.isEmpty else {
      throw .member(name)
    }
    return bytes
  }
}

// MARK: - Writing

extension JWK {
  /// The public key for others: its numbers, `use`, and `kid` and `alg` when they are known.
  public var json: JSONValue {
    var members = Self.requiredMembers(of: parameters)
    members.append(JSONValue.Member("use", "sig"))
    if keys.count == 1 { members.append(JSONValue.Member("alg", .string(keys[0].algorithm.rawValue))) }
    if let keyID { members.append(JSONValue.Member("kid", .string(keyID))) }
    return .object(members)
  }

  /// The SHA-256 thumbprint (RFC 7638), 32 bytes.
  public var thumbprint: [UInt8] { Self.thumbprint(of: parameters) }

  /// The SHA-256 thumbprint of a key (RFC 7638 §3), 32 bytes.
  public static func thumbprint(of parameters: PublicKeyParameters) -> [UInt8] {
    SHA256.hash(JSONValue.object(requiredMembers(of: parameters)).encoded())
  }

  /// The members that make the key what it is, in the order of their names (RFC 7638 §3.2).
  private static func requiredMembers(of parameters: PublicKeyParameters) -> [JSONValue.Member] {
    func member(_ name: String, _ bytes: [UInt8]) -> JSONValue.Member {
      JSONValue.Member(name, .string(Base64URL.encode(bytes)))
    }
    return switch parameters {
    case .p256(let x, let y):
      [JSONValue.Member("crv", "P-256"), JSONValue.Member("kty", "EC"), member("x", x), member("y", y)]
    case .rsa(let modulus, let exponent):
      [member("e", exponent), JSONValue.Member("kty", "RSA"), member("n", modulus)]
    case .ed25519(let x):
      [JSONValue.Member("crv", "Ed25519"), JSONValue.Member("kty", "OKP"), member("x", x)]
    }
  }
}
