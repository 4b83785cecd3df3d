internal import CArgon2

/// Password hashing with Argon2id version 1.3 (RFC 9106), kept as PHC strings.
///
/// One call takes tens of milliseconds and ``Cost/memory``: run it on a bounded pool of threads, never on an
/// event loop.
public struct Argon2id: Sendable {
  /// What one hash costs.
  public struct Cost: Sendable, Equatable {
    /// KiB of memory.
    public let memory: UInt32
    /// Passes over the memory.
    public let passes: UInt32
    /// Lanes of the memory, each computed by its own thread.
    public let lanes: UInt32

    /// 19 MiB, two passes, one lane (OWASP Password Storage, ASVS 5.0 appendix C).
    public static let standard = Cost(memory: 19_456, passes: 2, lanes: 1)

    public init(memory: UInt32, passes: UInt32, lanes: UInt32) {
      self.memory = memory
      self.passes = passes
      self.lanes = lanes
    }

    /// Whether a hash may be checked at all: at most 256 MiB, 10 passes, 4 lanes, so that an imported hash
    /// cannot stop the server.
    public var isBearable: Bool {
      (1...4).contains(lanes) && (1...10).contains(passes) && (8 * lanes...262_144).contains(memory)
    }
  }

  static let saltSize = 16
  static let tagSize = 32

  /// The cost of new hashes.
  public let cost: Cost

  /// Creates a password hasher.
  ///
  /// - Parameter cost: For new hashes; must be bearable.
  public init(cost: Cost = .standard) {
    precondition(cost.isBearable, "the cost of Argon2id is out of bounds")
    self.cost = cost
  }

  /// Hashes a password under a fresh salt.
  ///
  /// - Returns: A PHC string, about 97 characters of ASCII.
  public func hash(_ password: [UInt8]) throws(CryptoError) -> String {
    try hash(password, salt: Random.bytes(Self.saltSize), tagSize: Self.tagSize)
  }

  func hash(_ password: [UInt8], salt: [UInt8], tagSize: Int) throws(CryptoError) -> String {
    var tag = [UInt8](repeating: 0, count: tagSize)
    let code = unsafe argon2id_hash_raw(
      cost.passes, cost.memory, cost.lanes, password, password.count, salt, salt.count, &tag, tagSize)
    guard code == ARGON2_OK.rawValue else {
      throw .library(unsafe String(cString: argon2_error_message(code)))
    }
    return PasswordHash(cost: cost, salt: salt, tag: tag).text
  }

  /// Whether `password` is the one `hash` was made from, at the cost that `hash` names.
  ///
  /// - Throws: ``CryptoError/invalidHash(_:)`` when `hash` cannot be read or costs more than is bearable.
  public func verify(_ password: [UInt8], against hash: String) throws(CryptoError) -> Bool {
    let stored = try PasswordHash(hash)
    let computed = try Argon2id(cost: stored.cost).hash(password, salt: stored.salt, tagSize: stored.tag.count)
    return constantTimeEqual(Array(computed.utf8), Array(hash.utf8))
  }

  /// Whether `hash` was made at another cost than new ones and should be replaced at the next sign-in.
  public func needsRehash(_ hash: String) throws(CryptoError) -> Bool {
    let stored = try PasswordHash(hash)
    return stored.cost != cost || stored.salt.count < Self.saltSize || stored.tag.count != Self.tagSize
  }
}
