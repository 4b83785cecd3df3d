import Crypto
import Domain

/// Hashes and checks local passwords, away from the loops and a bounded number at a time.
struct PasswordHashing: Sendable {
  private let pool = HashingPool()
  private let argon = Argon2id()
  /// Checked in place of the missing hash of an unknown user, so that both take the same time.
  private let decoy: String

  init() {
    // Chance in place of a hash: it costs nothing at start, and checking against it takes as long as any other.
    let (cost, salt, hash) = (Argon2id.Cost.standard, Random.bytes(16), Random.bytes(32))
    decoy =
      "$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=\(cost.lanes)$\(Self.unpadded(salt))$\(Self.unpadded(hash))"
  }

  private static func unpadded(_ bytes: [UInt8]) -> String { String(Base64.encode(bytes).prefix { $0 != "=" }) }

  /// Hashes a new password into a PHC string.
  ///
  /// - Throws: `Refusal` `temporarily_unavailable` when too many hashings wait.
  func hash(_ password: Secret, for network: String) async throws -> String {
    let argon = argon
    return try await queued(network, isKnownDevice: true) { try argon.hash(password.revealed) }
  }

  /// Whether `password` is the one that `hash` was made from; with no hash, never, and just as slowly.
  func matches(_ password: Secret, _ hash: String?, for network: String, isKnownDevice: Bool) async throws -> Bool {
    let (argon, expected) = (argon, hash ?? decoy)
    let matches = try await queued(network, isKnownDevice: isKnownDevice) {
      try argon.verify(password.revealed, against: expected)
    }
    return matches && hash != nil
  }

  func needsRehash(_ hash: String) throws -> Bool { try argon.needsRehash(hash) }

  private func queued<T: Sendable>(
    _ network: String, isKnownDevice: Bool, _ work: @escaping @Sendable () throws -> T
  ) async throws -> T {
    do {
      return try await pool.run(for: network, isKnownDevice: isKnownDevice, work)
    } catch is HashingPoolFull {
      throw Refusal(
        .temporarilyUnavailable, "Too many people are signing in at the moment. Try again shortly.", retryAfter: 5)
    }
  }
}
