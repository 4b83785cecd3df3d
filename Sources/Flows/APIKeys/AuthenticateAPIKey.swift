import Crypto
public import Domain
import Storage

/// Finds out which API key a request shows, and whether it may be used from there now.
public struct AuthenticateAPIKey: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Whether `text` is meant to be an API key of ours.
  public static func isMeant(by text: some StringProtocol) -> Bool { HeldAPIKey.isMeant(by: text) }

  /// The key that `text` is a secret of; counts the call.
  ///
  /// `referrer` is the page that the request names.
  ///
  /// - Throws: `Refusal` `invalid_token` for one that does not count, `referrer_not_allowed` or
  ///   `network_not_allowed` from where it may not come, `slow_down` when its quota is used up.
  public func callAsFunction(_ text: String, referrer: String?, _ visitor: Visitor) async throws -> ClientAPIKey {
    let (entry, slot) = try await proven(text)
    let (key, now) = (entry.key, here.clock.now())
    do {
      if let ending = key.ending(of: slot, at: now) { throw ending }
      guard entry.isClientLive else { throw Self.clientEnded }
      if let refusal = refusal(of: key, referrer, visitor) { throw refusal }
    } catch let refusal as Refusal {
      try await here.countedUses.countRefusal(key.id, at: now, here)
      throw try await recorded(refusal, key, visitor)
    }
    do { try await here.countedUses.count(key, slot, at: now, here) } catch let refusal as Refusal {
      throw try await recorded(refusal, key, visitor)
    }
    return key
  }

  /// The key that `text` is a secret of; one that was checked lately is recognised before anything is read of it.
  private func proven(_ text: String) async throws -> (KnownAPIKeys.Entry, ClientAPIKey.Slot) {
    let fingerprint = here.knownAPIKeys.fingerprint(of: text)
    if let known = try await here.knownAPIKeys.checked(fingerprint, here) { return known }
    guard let held = HeldAPIKey(text) else { throw Self.malformed }
    guard let entry = try await here.knownAPIKeys.entry(held.id, here) else {
      // The same work for a key that there is not, so that the time tells nothing.
      _ = here.purposeKeys.current(.apiKey).mac.authenticate(held.text.revealed)
      throw Self.unknown
    }
    guard let slot = slot(of: held, in: entry) else { throw Self.unknown }
    here.knownAPIKeys.remember(fingerprint, entry, slot)
    return (entry, slot)
  }

  private func slot(of held: HeldAPIKey, in entry: KnownAPIKeys.Entry) -> ClientAPIKey.Slot? {
    entry.key.slots.first { slot in
      here.purposeKeys.key(slot.pepperID, for: .apiKey)?.mac.isValid(slot.code, for: held.text.revealed) ?? false
    }
  }

  private func refusal(of key: ClientAPIKey, _ referrer: String?, _ visitor: Visitor) -> Refusal? {
    guard key.limits.allows(referrer: referrer) else {
      return Refusal(.referrerNotAllowed, "The API key is not for the page that the field Referer names.")
    }
    let networks = key.limits.networks
    if networks.isEmpty || networks.holdNetwork(of: visitor.origin.address) { return nil }
    return Refusal(.networkNotAllowed, "The API key is not taken from this address.")
  }

  private func recorded(_ refusal: Refusal, _ key: ClientAPIKey, _ visitor: Visitor) async throws -> Refusal {
    try await here.recordRefusal(
      .apiKeyRefused, client: key.client, detail: "\(key.id): \(refusal.description)", visitor)
    return refusal
  }

  static let malformed = Refusal(
    .invalidToken, "This is no API key, or a part of it is missing or wrong. Copy it whole.")
  private static let unknown = Refusal(.invalidToken, "There is no such API key.")
  private static let clientEnded = Refusal(.invalidToken, "The client of the API key is disabled.")
}

extension Installation {
  /// Asks again whether a key still counts, since an upstream may have been waited for.
  ///
  /// - Throws: `Refusal` `invalid_token`.
  func checkLive(_ key: ClientAPIKey) async throws {
    guard let entry = try await knownAPIKeys.entry(key.id, self), entry.isClientLive else {
      throw Refusal(.invalidToken, "The API key or its client was ended.")
    }
    let now = clock.now()
    guard entry.key.revokedAt == nil, entry.key.slots.contains(where: { $0.isLive(at: now) }) else {
      throw Refusal(.invalidToken, "The API key was revoked. An administrator can make another.")
    }
  }
}
