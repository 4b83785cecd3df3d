public import Domain
import Storage

/// Makes and revokes the tokens with which apps register themselves.
public struct RegistrationTokens: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Returns: The token, and its text, which is known this once and never again.
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line.
  public func create(
    _ name: String, uses: Int64, days: Int64, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (token: RegistrationToken, text: Secret) {
    guard DisplayName.isPlain(name) else {
      throw Refusal(.invalidRequest, "Give the token a name of 1 to 100 bytes, without line breaks.")
    }
    guard RegistrationToken.days.contains(days), RegistrationToken.longestUses.contains(uses) else {
      throw Refusal(.invalidRequest, "A token is good for 1 to 365 days and 1 to 10000 apps.")
    }
    let (now, text) = (here.clock.now(), NewToken())
    let token = RegistrationToken(
      id: .random(), name: name, uses: uses, createdAt: now, expiresAt: now + days * 24 * 60 * 60)
    let event = here.recording(
      AuditEvent(
        .registrationTokenCreated, at: now, origin: visitor.origin, account: administrator, detail: token.id.text))
    try await here.store.write { tx in
      try tx.insert(token, hash: text.hash)
      try event(tx)
    }
    return (token, text.secret)
  }

  /// The tokens that have not expired, the newest first.
  public func list() async throws -> [RegistrationToken] {
    let now = here.clock.now()
    return try await here.store.read { try $0.registrationTokens(at: now) }
  }

  /// - Throws: `Refusal` `not_found`.
  public func revoke(_ id: RegistrationTokenID, by administrator: AccountID?, _ visitor: Visitor) async throws {
    let event = here.recording(
      AuditEvent(
        .registrationTokenRevoked, at: here.clock.now(), origin: visitor.origin, account: administrator,
        detail: id.text))
    let isRevoked = try await here.store.write { tx in
      guard try tx.deleteRegistrationToken(id) else { return false }
      try event(tx)
      return true
    }
    guard isRevoked else { throw Refusal(.notFound, "There is no token \(id): it was revoked, or has expired.") }
  }
}
