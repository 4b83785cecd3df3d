public import Domain
import Storage

/// Gives a client a token for itself (RFC 6749 §4.4).
public struct IssueClientToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// `lifetime` is that of the token in seconds, `nil` for the usual one.
  public func callAsFunction(
    _ scope: Scope?, _ client: Client, boundTo binding: TokenBinding? = nil, lifetime: Int64? = nil, _ visitor: Visitor
  ) async throws -> IssuedTokens {
    if let refusal = client.refusal(using: .clientCredentials) { throw refusal }
    // Only a person can allow what jobs do while that person is away.
    let granted = scope ?? client.ordinaryScope.without(Scope.unattended)
    guard !granted.contains(Scope.unattended), client.refusal(asking: granted) == nil else {
      throw Refusal(.invalidScope, "The scope holds a word that this client is not allowed.")
    }
    try await here.checkPortal(of: granted, hasPerson: false)
    let now = here.clock.now()
    let minted = try here.mint(
      subject: client.id.text, client: client, scope: granted, family: nil, boundTo: binding, lifetime: lifetime,
      at: now)
    try await here.record(
      AuditEvent(
        .tokenIssued, at: now, origin: visitor.origin, client: client.id,
        detail: Client.Grant.clientCredentials.rawValue))
    return IssuedTokens(minted)
  }
}
