public import Domain
import Storage

/// Takes back what a person allowed a client: the consent ends, and with it every token of ours that the client holds
/// for them.
public struct WithdrawConsent: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Returns: Whether there was anything to take back.
  public func callAsFunction(_ client: ClientID, by account: AccountID, _ visitor: Visitor) async throws -> Bool {
    let now = here.clock.now()
    let withdrawn = here.recording(
      AuditEvent(.consentWithdrawn, at: now, origin: visitor.origin, account: account, client: client))
    let isWithdrawn = try await here.store.write { tx in
      guard try tx.deleteConsent(of: account, for: client) else { return false }
      try tx.revokeFamilies(of: account, client: client, at: now)
      // A code on its way to the app must not open what ends here.
      try tx.burnCodes(of: account, for: client, at: now)
      try withdrawn(tx)
      return true
    }
    if isWithdrawn { here.proxyPlaces.end(.consent(client, of: account)) }
    return isWithdrawn
  }

  /// Takes back only what jobs of the client may do while the person is away; it has to ask for that again by
  /// `prompt=consent`.
  ///
  /// - Returns: Whether there was anything to take back.
  public func unattended(_ client: ClientID, by account: AccountID, _ visitor: Visitor) async throws -> Bool {
    let now = here.clock.now()
    let withdrawn = here.recording(
      AuditEvent(
        .consentWithdrawn, at: now, origin: visitor.origin, account: account, client: client,
        detail: "unattended use alone"))
    return try await here.store.write { tx in
      guard let consent = try tx.consent(of: account, for: client), !consent.unattended.isEmpty else { return false }
      try tx.put(
        Consent(
          account: account, client: client, scope: consent.scope, connections: consent.connections,
          givenAt: consent.givenAt))
      try withdrawn(tx)
      return true
    }
  }
}
