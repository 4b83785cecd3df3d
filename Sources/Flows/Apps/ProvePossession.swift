import Crypto
public import Domain
import JOSE
import Storage

/// Finds out which DPoP key the sender of a request holds (RFC 9449 §4.3).
public struct ProvePossession: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What a proof has to be made for.
  public struct Request: Sendable {
    let method: String
    let path: String
    let accessToken: String?
    let needsNonce: Bool

    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path as it was sent, that of the external URL included.
    ///   - accessToken: What is presented together with the proof; `nil` where a token is asked for.
    ///   - needsNonce: Whether the proof has to hold a nonce of ours.
    public init(method: String, path: String, accessToken: String?, needsNonce: Bool) {
      self.method = method
      self.path = path
      self.accessToken = accessToken
      self.needsNonce = needsNonce
    }
  }

  /// - Returns: What a token of the sender is bound to.
  /// - Throws: `Refusal` `invalid_dpop_proof` or `use_dpop_nonce`.
  public func callAsFunction(_ proof: String, for request: Request) async throws -> TokenBinding {
    let (now, nonces) = (here.clock.now(), here.dpopNonces)
    var takesNonce: (@Sendable (String) -> Bool)?
    if request.needsNonce { takesNonce = { nonces.isValid($0, at: now) } }
    let wanted = DPoPProof.Request(
      method: request.method, target: here.origin + request.path, accessToken: request.accessToken,
      takesNonce: takesNonce)
    let proven: DPoPProof
    do throws(DPoPFailure) { proven = try DPoPProof(proof, for: wanted, now: now.seconds) } catch {
      throw Self.refusal(error)
    }
    switch try await use(TokenHash(of: "\(proven.thumbprint) \(proven.tokenID)"), at: now) {
    case .first: return .dpop(proven.thumbprint)
    case .repeated: throw Refusal(.invalidDPoPProof, "The DPoP proof was used before; make one for each request.")
    case .full:
      throw Refusal(.temporarilyUnavailable, "Too many DPoP proofs came within a minute.", retryAfter: 5)
    }
  }

  /// Uses up a proof, wherever all instances of this installation remember it.
  private func use(_ hash: TokenHash, at now: Timestamp) async throws -> ProofReplays.Use {
    guard here.store.isShared else { return here.proofReplays.use(hash, at: now) }
    let isFirst = try await here.store.useProof(hash, until: now + ProofReplays.window, at: now)
    return isFirst ? .first : .repeated
  }

  private static func refusal(_ failure: DPoPFailure) -> Refusal {
    if failure == .nonce {
      return Refusal(.useDPoPNonce, "Make the DPoP proof with the nonce of the header DPoP-Nonce.")
    }
    let reason =
      switch failure {
      case .signature: "it is no compact JWS with an asymmetric signature of the key in it"
      case .type: "typ is not dpop+jwt"
      case .key: "jwk holds no public key for its algorithm"
      case .claim(let name): "\(name) is missing or not what it should be"
      case .method: "htm is not the method of this request"
      case .target: "htu is not the URL of this request"
      case .time: "iat is more than a minute old, or ahead of us"
      case .accessToken: "ath is not the hash of the access token"
      case .nonce: "nonce"
      }
    return Refusal(.invalidDPoPProof, "The DPoP proof was refused: \(reason).")
  }
}

/// Nonces for DPoP proofs (RFC 9449 §8), which nothing has to remember: each tells the minute it was made in, with a MAC.
struct DPoPNonces: Sendable {
  private static let minute: Int64 = 60
  /// For how many minutes a nonce is taken after the one that it was made in.
  private static let life: Int64 = 4

  let mac: HMACSHA256

  func make(at now: Timestamp) -> String { nonce(of: now.seconds / Self.minute) }

  func isValid(_ nonce: String, at now: Timestamp) -> Bool {
    guard let bytes = Base64URL.decode(nonce), bytes.count == 24 else { return false }
    let minute = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let age = (now.seconds / Self.minute).subtractingReportingOverflow(minute)
    guard !age.overflow, (0...Self.life).contains(age.partialValue) else { return false }
    return constantTimeEqual(Array(nonce.utf8), Array(self.nonce(of: minute).utf8))
  }

  private func nonce(of minute: Int64) -> String {
    let time = (0..<8).map { UInt8(truncatingIfNeeded: minute >> (56 - 8 * $0)) }
    return Base64URL.encode(time + mac.authenticate(Array("dpop".utf8) + time).prefix(16))
  }
}

extension Installation {
  var dpopNonces: DPoPNonces { DPoPNonces(mac: purposeKeys.current(.dpop).mac) }

  /// A nonce for the next DPoP proof.
  public var dpopNonce: String { dpopNonces.make(at: clock.now()) }

  /// Scheme and authority of the external URL.
  var origin: String {
    guard let mark = issuer.firstRange(of: "://") else { return issuer }
    return String(issuer[..<mark.upperBound] + issuer[mark.upperBound...].prefix { $0 != "/" })
  }
}
