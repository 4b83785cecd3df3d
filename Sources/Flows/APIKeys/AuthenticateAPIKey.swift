import Crypto
public import Domain
import Storage

/// Finds out which API key a request shows, and whether it may be used from there now.
public struct AuthenticateAPIKey: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Whether `text` is meant to be an API key of ours, or a token of one.
  public static func isMeant(by text: some StringProtocol) -> Bool {
    HeldAPIKey.isMeant(by: text) || text.utf8.starts(with: HeldAPIKeyToken.beginning.utf8)
  }

  /// The key that `text` is a secret or a token of; counts the call.
  ///
  /// `referrer` is the page that the request names.
  ///
  /// - Throws: `Refusal` `invalid_token` for one that does not count, `referrer_not_allowed` or
  ///   `network_not_allowed` from where it may not come, `slow_down` when its quota is used up.
  public func callAsFunction(_ text: String, referrer: String?, _ visitor: Visitor) async throws -> ClientAPIKey {
    let proven = try await proven(text)
    let (key, now) = (proven.key, here.clock.now())
    do {
      if let ending = proven.ending(at: now) { throw ending.refusal }
      guard proven.isClientLive else { throw Self.clientEnded }
      guard key.limits.allows(referrer: referrer) else { throw Self.wrongReferrer }
      guard key.limits.allows(address: visitor.origin.address) else { throw Self.wrongNetwork }
    } catch let refusal as Refusal {
      try await here.countedUses.countRefusal(key.id, at: now, here)
      here.countRefusal(of: key, at: now)
      throw try await recorded(refusal, key, visitor)
    }
    do { try await here.countedUses.count(key, proven.slot, at: now, here) } catch let refusal as Refusal {
      here.countRefusal(of: key, at: now)
      throw try await recorded(refusal, key, visitor)
    }
    return key
  }

  /// What `text` proves; one that was checked lately is recognised before anything is read of it.
  ///
  /// - Throws: `Refusal` `invalid_token` when it is none of ours.
  func proven(_ text: String) async throws -> KnownAPIKeys.Proven {
    let (known, version) = (here.knownAPIKeys, here.store.configurationVersion)
    let fingerprint = known.fingerprint(of: text)
    if let proven = known.checked(fingerprint, here) { return proven }
    if known.isUnknown(fingerprint, here) { throw Self.unknown }
    let found: KnownAPIKeys.Proven?
    if let held = HeldAPIKey(text) {
      found = try await proven(by: held)
    } else if let held = HeldAPIKeyToken(text) {
      found = try await proven(by: held)
    } else {
      throw Self.malformed
    }
    guard let found else {
      known.rememberUnknown(fingerprint, version)
      throw Self.unknown
    }
    known.remember(fingerprint, found)
    return found
  }

  private func proven(by held: HeldAPIKey) async throws -> KnownAPIKeys.Proven? {
    guard let entry = try await here.knownAPIKeys.entry(held.id, here) else {
      // The same work for a key that there is not, so that the time tells nothing.
      _ = here.purposeKeys.current(.apiKey).mac.authenticate(held.text.revealed)
      return nil
    }
    let slot = entry.key.slots.first { slot in
      here.purposeKeys.key(slot.pepperID, for: .apiKey)?.mac.isValid(slot.code, for: held.text.revealed) ?? false
    }
    return slot.map { KnownAPIKeys.Proven(entry, $0) }
  }

  private func proven(by held: HeldAPIKeyToken) async throws -> KnownAPIKeys.Proven? {
    let token = held.token
    guard let entry = try await here.knownAPIKeys.entry(token.key, here),
      let slot = entry.key.slots.first(where: { $0.number == token.slot }), held.isGenuine(slot, here.purposeKeys)
    else { return nil }
    return KnownAPIKeys.Proven(entry, slot, by: token)
  }

  private func recorded(_ refusal: Refusal, _ key: ClientAPIKey, _ visitor: Visitor) async throws -> Refusal {
    try await here.recordRefusal(
      .apiKeyRefused, client: key.client, detail: "\(key.shownID): \(refusal.description)", visitor)
    return refusal
  }

  static let malformed = Refusal(
    .invalidToken, "This is no API key, or a part of it is missing or wrong. Copy it whole.")
  private static let unknown = Refusal(.invalidToken, "There is no such API key.")
  private static let wrongReferrer = Refusal(
    .referrerNotAllowed, "The API key is not for the page that the field Referer names.")
  private static let wrongNetwork = Refusal(.networkNotAllowed, "The API key is not taken from this address.")
  private static let clientEnded = Refusal(.invalidToken, "The client of the API key is disabled.")
}

extension APIKeyLimits {
  /// Whether the key may come from this address.
  func allows(address: String) -> Bool { networks.isEmpty || networks.holdNetwork(of: address) }
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
    let shown = key.slots.first { $0.number == key.shownSlot }
    let slot = entry.key.slots.first { $0.number == key.shownSlot && $0.code == shown?.code }
    guard let slot else { throw ClientAPIKey.Ending.revoked.refusal }
    if let ending = KnownAPIKeys.Proven(entry, slot, by: key.token).ending(at: now) { throw ending.refusal }
  }
}
