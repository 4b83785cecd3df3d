internal import Crypto
internal import JSON

/// Why a DPoP proof was refused (RFC 9449 §4.3).
public enum DPoPFailure: Error, Equatable {
  /// It is no compact token, or its signature is not that of the key in it.
  case signature(JWSFailure)
  /// `typ` is not `dpop+jwt`.
  case type
  /// `jwk` is missing, no public key, or not one for the algorithm.
  case key
  /// `jti`, `htm`, `htu` or `iat` is missing, empty, too long or of the wrong type.
  case claim(String)
  /// It was made for another method.
  case method
  /// It was made for another URL.
  case target
  /// It was made too long ago, or for later.
  case time
  /// `nonce` is missing, or not one that this server gave lately.
  case nonce
  /// `ath` is missing or belongs to another access token.
  case accessToken
}

/// A proof that whoever sends a request holds a private key (RFC 9449 §4).
public struct DPoPProof: Sendable, Equatable {
  /// Seconds that a proof may be old.
  public static let longestAge: Int64 = 60
  /// Seconds by which a client's clock may be ahead.
  public static let leeway: Int64 = 10
  private static let longestTokenID = 256

  /// The SHA-256 thumbprint of the key (RFC 7638), in base64url.
  public let thumbprint: String
  public let tokenID: String
  public let issuedAt: Int64

  /// What a proof is sent with.
  public struct Request: Sendable {
    public let method: String
    /// The URL without query and fragment, by the server's own configured address.
    public let target: String
    /// The access token that is presented along with it; `nil` where one is asked for.
    public let accessToken: String?
    /// Whether a nonce was given by this server lately; `nil` where none is asked for.
    public let takesNonce: (@Sendable (String) -> Bool)?

    public init(
      method: String, target: String, accessToken: String?, takesNonce: (@Sendable (String) -> Bool)?
    ) {
      self.method = method
      self.target = target
      self.accessToken = accessToken
      self.takesNonce = takesNonce
    }
  }

  /// Checks everything but whether the proof was used before.
  ///
  /// - Throws: ``DPoPFailure``.
  public init(_ text: String, for request: Request, now: Int64) throws(DPoPFailure) {
    let (jws, key) = try Self.parse(text)
    let claims: JWTClaims
    do { claims = try JWTClaims(jws.payload(verifiedBy: key)) } catch { throw .signature(error) }
    guard let tokenID = claims.tokenID, (1...Self.longestTokenID).contains(tokenID.utf8.count) else {
      throw .claim("jti")
    }
    guard let method = claims.json.string("htm") else { throw .claim("htm") }
    guard let target = claims.json.string("htu") else { throw .claim("htu") }
    guard let issuedAt = claims.json.number("iat") else { throw .claim("iat") }
    guard exactlyEqual(method, request.method) else { throw .method }
    guard let named = DPoPTarget(target), named == DPoPTarget(request.target) else { throw .target }
    try Self.check(claims, issuedAt, request, now: now)
    thumbprint = Base64URL.encode(JWK.thumbprint(of: key.parameters))
    self.tokenID = tokenID
    self.issuedAt = Int64(issuedAt)
  }

  private static func parse(_ text: String) throws(DPoPFailure) -> (JWS, VerificationKey) {
    let jws: JWS
    do { jws = try JWS(parsing: text, sizeLimit: 8192, allowsEmbeddedKey: true) } catch { throw .signature(error) }
    guard jws.hasType("dpop+jwt") else { throw .type }
    guard let value = jws.header["jwk"], let jwk = try? JWK(value), let key = jwk.key(for: jws.algorithm) else {
      throw .key
    }
    return (jws, key)
  }

  private static func check(
    _ claims: JWTClaims, _ issuedAt: Double, _ request: Request, now: Int64
  ) throws(DPoPFailure) {
    guard issuedAt >= Double(now - longestAge), issuedAt <= Double(now + leeway) else { throw .time }
    if claims.json["exp"] != nil, claims.expiresAt.map({ $0 <= Double(now) }) ?? true { throw .time }
    if claims.json["nbf"] != nil, claims.notBefore.map({ $0 > Double(now + leeway) }) ?? true { throw .time }
    if let token = request.accessToken {
      let hash = Base64URL.encode(SHA256.hash(token))
      guard let claimed = claims.json.string("ath"), exactlyEqual(claimed, hash) else { throw .accessToken }
    }
    // Last, so that only a proof that is right in all else is told of a nonce.
    if let takesNonce = request.takesNonce {
      guard let nonce = claims.nonce, takesNonce(nonce) else { throw .nonce }
    }
  }
}

/// A URL as `htu` names it, compared without query and fragment after normalization of case and port (RFC 9449 §4.3,
/// RFC 3986 §6.2.2–3).
struct DPoPTarget: Equatable {
  private let scheme: String
  private let authority: String
  private let path: [UInt8]

  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let mark = text.firstRange(of: "://") else { return nil }
    scheme = text[..<mark.lowerBound].lowercased()
    guard scheme == "https" || scheme == "http" else { return nil }
    let rest = text[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let host = rest.prefix { $0 != "/" }.lowercased()
    guard !host.isEmpty, !host.contains("@") else { return nil }
    let usual = scheme == "https" ? ":443" : ":80"
    authority = host.hasSuffix(usual) ? String(host.dropLast(usual.count)) : host
    guard let path = Self.normal(rest.dropFirst(host.count)) else { return nil }
    self.path = path
  }

  /// The path with escapes of unreserved characters undone and the others in upper case; an empty one is `/`.
  private static func normal(_ path: Substring) -> [UInt8]? {
    var normal: [UInt8] = []
    var rest = path.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        normal.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = Hex.decode(String(Substring(digits)))?.first else { return nil }
      rest = rest.dropFirst(2)
      let isLetter = (value | 0x20) &- 0x61 < 26
      let isDigit = value &- 0x30 < 10
      if isLetter || isDigit || [0x2D, 0x2E, 0x5F, 0x7E].contains(value) {
        normal.append(value)
      } else {
        normal.append(UInt8(ascii: "%"))
        normal += String(Substring(digits)).uppercased().utf8
      }
    }
    return normal.isEmpty ? [UInt8(ascii: "/")] : normal
  }
}
