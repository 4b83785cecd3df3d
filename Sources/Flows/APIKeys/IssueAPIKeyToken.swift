public import Domain
import HTTP
import Storage

/// Makes a short-lived token of an API key, for its holder to hand on.
public struct IssueAPIKeyToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What `key`, which was shown, is exchanged for.
  ///
  /// - Returns: The key as whoever holds the token may use it, and the token's text.
  /// - Throws: `Refusal` `insufficient_scope` unless a secret key itself was shown; `invalid_scope` for more than it is
  ///   for; `invalid_request` for what cannot be.
  public func callAsFunction(
    _ narrowing: APIKeyNarrowing, lifetime: Int64?, of key: ClientAPIKey, _ visitor: Visitor
  ) async throws -> (key: ClientAPIKey, text: Secret) {
    guard key.token == nil, let slot = key.slots.first(where: { $0.number == key.shownSlot }) else {
      throw Refusal(.insufficientScope, "A token makes no other: show the API key that it was made from.")
    }
    guard key.kind == .secret else {
      throw Refusal(
        .insufficientScope, "Tokens are made from secret keys alone: a publishable one can be handed on itself.")
    }
    let lifetime = lifetime ?? APIKeyToken.ordinaryLifetime
    guard APIKeyToken.lifetimes.contains(lifetime) else {
      throw Refusal(.invalidRequest, "expires_in is a whole number of seconds from 1 to 3600.")
    }
    try check(narrowing, of: key)
    let now = here.clock.now()
    let token = APIKeyToken(
      id: .random(), key: key.id, slot: slot.number, expiresAt: min(now + lifetime, slot.expiresAt),
      narrowing: narrowing)
    let text = HeldAPIKeyToken.text(of: token, slot, here.purposeKeys)
    guard text.revealed.count <= HeldAPIKeyToken.longest else {
      throw Refusal(.invalidRequest, "The token would be too long for a header field: name fewer resources.")
    }
    let narrowed = key.narrowed(to: token)
    try await here.record(
      AuditEvent(
        .apiKeyTokenIssued, at: now, origin: visitor.origin, client: key.client,
        detail: "\(narrowed.shownID), for \(token.expiresAt - now) s"))
    return (narrowed, text)
  }

  private func check(_ narrowing: APIKeyNarrowing, of key: ClientAPIKey) throws(Refusal) {
    if let wrong = narrowing.methods?.first(where: { !APIKeyScope.knownMethods.contains($0) }) {
      throw Refusal(.invalidRequest, "scope.methods names \(wrong), which is no method that passes.")
    }
    if let longest = narrowing.longestAnswer, longest < 1 {
      throw Refusal(.invalidRequest, "scope.longest_answer is at least 1 byte.")
    }
    if let wrong = narrowing.networks?.first(where: { AddressRange($0) == nil }) {
      throw Refusal(.invalidRequest, "limits.networks names \(wrong), which is no network such as 10.20.0.0/16.")
    }
    if let member = narrowing.excessWithNetworks(over: key) {
      throw Refusal(.invalidScope, "\(member) is more than the API key is for; leave it out for the same.")
    }
  }
}

extension APIKeyNarrowing {
  /// ``excess(over:)``, with networks.
  func excessWithNetworks(over key: ClientAPIKey) -> String? {
    if let member = excess(over: key) { return member }
    let isWithin = Self.isWithin(networks, key.limits.networks) { part, whole in
      guard let part = AddressRange(part), let whole = AddressRange(whole) else { return false }
      return whole.contains(part)
    }
    return isWithin ? nil : "limits.networks"
  }
}
