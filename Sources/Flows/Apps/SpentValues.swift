import Domain
import Logging
import Synchronization

/// The code challenges and nonces of the codes that were redeemed lately.
///
/// Each is meant for one sign-in; a client that uses one again has thrown away what it protects from (RFC 9700 §2.1.1).
/// In memory and bounded, kept in two halves: a client that makes this mistake makes it every time.
final class SpentValues: Sendable {
  private static let halfCapacity = 50_000

  private let halves = Mutex<(newer: Set<TokenHash>, older: Set<TokenHash>)>(([], []))

  /// Takes note of a value; whether the client used it before.
  func isRepeated(_ value: String, as name: String, by client: ClientID) -> Bool {
    let hash = TokenHash(of: "\(client) \(name) \(value)")
    return halves.withLock { halves in
      if halves.newer.contains(hash) || halves.older.contains(hash) { return true }
      if halves.newer.count >= Self.halfCapacity { halves = ([], halves.newer) }
      halves.newer.insert(hash)
      return false
    }
  }
}

extension Installation {
  /// Writes down that a client redeemed a code for a challenge or nonce that it used before; the code is used up by then,
  /// so that nothing here may fail.
  func reportRepetition(challenge: String?, nonce: String?, by client: Client, _ visitor: Visitor) async {
    for (name, value) in [("code_challenge", challenge), ("nonce", nonce)] {
      guard let value, spentValues.isRepeated(value, as: name, by: client.id) else { continue }
      do {
        try await recordRefusal(.valueRepeated, client: client.id, detail: "the same \(name) as before", visitor)
      } catch {
        log.error(
          "a repeated value was not written down",
          ["client": .string(client.id.text), "error": .string(String(describing: error))])
      }
    }
  }
}
