public import Domain
import Storage
import Synchronization

/// What a secret or a token of an API key has proven; kept until something changes, so that a key which comes often is
/// checked and described once.
public final class ProvenAPIKey: Sendable {
  /// With the secret or token that was shown.
  public let key: ClientAPIKey
  let slot: ClientAPIKey.Slot
  let isClientLive: Bool
  /// As of which version of the configuration.
  let version: Int
  private let isOutgrown: Bool
  private let description = Mutex<(at: Timestamp, text: [UInt8])?>(nil)

  init(_ entry: KnownAPIKeys.Entry, _ slot: ClientAPIKey.Slot, by token: APIKeyToken? = nil) {
    var key = token.map { entry.key.narrowed(to: $0) } ?? entry.key
    key.shownSlot = slot.number
    self.key = key
    self.slot = slot
    isClientLive = entry.isClientLive
    isOutgrown = token.map { $0.narrowing.excessWithNetworks(over: entry.key) != nil } ?? false
    version = entry.version
  }

  func ending(at now: Timestamp) -> ClientAPIKey.Ending? {
    key.ending(of: slot, at: now) ?? (isOutgrown ? .tokenOutgrown : nil)
  }

  /// What its holder is told of the key, which is the same within a second.
  public func description(at now: Timestamp, _ make: (ClientAPIKey) -> [UInt8]) -> [UInt8] {
    if let known = description.withLock({ $0 }), known.at == now { return known.text }
    let text = make(key)
    description.withLock { $0 = (now, text) }
    return text
  }
}
