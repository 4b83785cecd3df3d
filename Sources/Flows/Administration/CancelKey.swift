import Domain
import Logging
import Storage
import Upstream

/// Ends an API key in ArcGIS that is not used here any more: it goes into the outbox with the change that drops it, and
/// ArcGIS is told at once.
struct CancelKey: Sendable {
  private let here: Installation
  private let connection: Connection
  private let key: TypedToken
  private let isAsked: Bool
  private let revocation: Revocation
  /// `nil` when it cannot be cancelled, or shall not be.
  private let tokens: UpstreamTokens?

  /// Unless it `isAsked`, the key is left as it is.
  init(_ here: Installation, _ key: TypedToken, of held: HeldKeys, isAsked: Bool) {
    self.here = here
    self.key = key
    self.isAsked = isAsked
    connection = held.connection
    let (now, tokens) = (here.clock.now(), UpstreamTokens(key: key, item: held.tokens.keyItem))
    // The outbox waits until the administrator's own request has had its chance.
    revocation = Revocation(
      id: .random(), account: Account.service, connection: held.connection.id, attempts: 0,
      nextAttemptAt: now + CloseCredential.patience + 5, expiresAt: now + Revocation.lifetime)
    self.tokens = isAsked && tokens.canCancelKeys ? tokens : nil
  }

  /// What the audit says of it with the change; what ArcGIS answers gets a row of its own.
  var plan: String {
    if tokens != nil { return "the dropped key is to be cancelled" }
    let hours = max(0, key.expiresAt - here.clock.now()) / ExpiryWarning.hour
    let end = "it works for \(hours) hours more unless it is ended in ArcGIS"
    return isAsked ? "the dropped key cannot be cancelled: \(end)" : "the dropped key is not cancelled: \(end)"
  }

  /// Notes that it is to be cancelled, in the transaction that drops it.
  func begin(_ tx: Transaction) throws {
    guard let tokens else { return }
    try tx.insert(revocation, tokens: here.seal(tokens, for: revocation, connection))
  }

  /// Tells ArcGIS, and says what became of the key.
  func finish() async throws -> KeyEnding {
    guard let tokens else { return isAsked ? .cannot(until: key.expiresAt) : .left(until: key.expiresAt) }
    do {
      let outcome = try await DeliverRevocations(here).deliverNow(
        revocation.id, tokens, connection, account: Account.service)
      return outcome == .revoked ? .cancelled : .cannot(until: key.expiresAt)
    } catch let failure as UpstreamFailure {
      here.log.warning(
        "an API key was not cancelled; ArcGIS is asked again",
        ["connection": .string(connection.id.text), "why": .string(failure.text)])
      try await here.record(
        .notRevoked(
          Account.service, connection.id, at: here.clock.now(),
          "not confirmed yet; it is asked again for a day at most"))
      return .retrying(until: key.expiresAt)
    }
  }
}
