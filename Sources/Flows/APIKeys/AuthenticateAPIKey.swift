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

  /// Whether a key, or a token of one, seems to stand anywhere in `text`.
  public static func isMeant(within text: Substring) -> Bool {
    var rest = text
    while let start = rest.utf8.firstIndex(of: UInt8(ascii: "g")) {
      rest = rest[start...]
      if isMeant(by: rest) { return true }
      rest = Substring(rest.utf8.dropFirst())
    }
    return false
  }

  /// A key as it was shown, and from where; it prints nothing of the key.
  public struct Shown: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String
    /// The page that the request names.
    let referrer: String?
    /// The address that the request came from.
    let address: String

    public init(_ text: String, referrer: String?, address: String) {
      self.text = text
      self.referrer = referrer
      self.address = address
    }

    public var description: String { "•••" }

    public var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// The key, where that is known without reading or writing anything; counts the call then, and else nothing.
  ///
  /// - Throws: `Refusal` `invalid_token` for one that is known to be none.
  public func atOnce(_ shown: Shown) throws(Refusal) -> ProvenAPIKey? {
    let fingerprint = here.knownAPIKeys.fingerprint(of: shown.text)
    guard let proven = here.knownAPIKeys.checked(fingerprint, here) else {
      if let refusal = here.knownAPIKeys.refusal(of: fingerprint, here) { throw refusal }
      return nil
    }
    let now = here.clock.now()
    guard refusal(of: proven, shown, at: now) == nil, here.countedUses.countIfFree(proven, at: now) else { return nil }
    return proven
  }

  /// The key that is shown, or that a token of it is shown of; counts the call.
  ///
  /// - Throws: `Refusal` `invalid_token` for one that does not count, `referrer_not_allowed` or
  ///   `network_not_allowed` from where it may not come, `slow_down` when its quota is used up.
  public func callAsFunction(_ shown: Shown, _ visitor: Visitor) async throws -> ProvenAPIKey {
    let proven = try await proven(shown.text)
    let now = here.clock.now()
    if let refusal = refusal(of: proven, shown, at: now) {
      try await here.countedUses.countRefusal(proven.key.id, at: now, here)
      here.countRefusal(of: proven.key, at: now)
      throw try await recorded(refusal, proven.key, visitor)
    }
    do { try await here.countedUses.count(proven, at: now, here) } catch let refusal as Refusal {
      here.countRefusal(of: proven.key, at: now)
      throw try await recorded(refusal, proven.key, visitor)
    }
    return proven
  }

  /// The key that is shown, for its end at the holder's wish; no call is counted, so that a leaked one whose quota others
  /// have used up can be ended, too.
  ///
  /// - Throws: As ``callAsFunction(_:_:)`` does, but for the quota.
  public func uncounted(_ shown: Shown, _ visitor: Visitor) async throws -> ProvenAPIKey {
    let proven = try await proven(shown.text)
    if let refusal = refusal(of: proven, shown, at: here.clock.now()) {
      throw try await recorded(refusal, proven.key, visitor)
    }
    return proven
  }

  private func refusal(of proven: ProvenAPIKey, _ shown: Shown, at now: Timestamp) -> Refusal? {
    if let ending = proven.ending(at: now) { return ending.refusal }
    guard proven.isClientLive else { return Self.clientEnded }
    guard proven.key.limits.allows(referrer: shown.referrer) else { return Self.wrongReferrer }
    return proven.key.limits.allows(address: shown.address) ? nil : Self.wrongNetwork
  }

  /// What `text` proves; one that was checked lately is recognised before anything is read of it.
  ///
  /// - Throws: `Refusal` `invalid_token` when it is none of ours.
  func proven(_ text: String) async throws -> ProvenAPIKey {
    let (known, version) = (here.knownAPIKeys, here.store.configurationVersion)
    let fingerprint = known.fingerprint(of: text)
    if let proven = known.checked(fingerprint, here) { return proven }
    if let refusal = known.refusal(of: fingerprint, here) { throw refusal }
    let found: ProvenAPIKey?
    var refusal = Self.unknown
    if let held = HeldAPIKey(text) {
      found = try await proven(by: held)
    } else if let held = HeldAPIKeyToken(text) {
      found = try await proven(by: held)
    } else {
      (found, refusal) = (nil, Self.malformed)
    }
    guard let found else {
      known.remember(fingerprint, refusal, version)
      throw refusal
    }
    known.remember(fingerprint, found)
    return found
  }

  private func proven(by held: HeldAPIKey) async throws -> ProvenAPIKey? {
    guard let entry = try await here.knownAPIKeys.entry(held.id, here) else {
      // The same work for a key that there is not, so that the time tells nothing.
      _ = here.purposeKeys.current(.apiKey).mac.authenticate(held.text.revealed)
      return nil
    }
    let slot = entry.key.slots.first { slot in
      here.purposeKeys.key(slot.pepperID, for: .apiKey)?.mac.isValid(slot.code, for: held.text.revealed) ?? false
    }
    return slot.map { ProvenAPIKey(entry, $0) }
  }

  private func proven(by held: HeldAPIKeyToken) async throws -> ProvenAPIKey? {
    let token = held.token
    guard let entry = try await here.knownAPIKeys.entry(token.key, here),
      let slot = entry.key.slots.first(where: { $0.number == token.slot }), held.isGenuine(slot, here.purposeKeys)
    else { return nil }
    return ProvenAPIKey(entry, slot, by: token)
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
    if let ending = ProvenAPIKey(entry, slot, by: key.token).ending(at: now) { throw ending.refusal }
  }
}
