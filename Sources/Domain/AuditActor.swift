extension AuditEvent {
  /// Who did what an audit row tells of.
  public enum Actor: Sendable, Equatable {
    case account(AccountID)
    case client(ClientID)
    /// The upstream that this is the connection to.
    case upstream(ConnectionID)
    case commandLine
    /// The service itself.
    case system
    /// Somebody who has not proven who they are.
    case unknown
  }

  public var actor: Actor {
    if let administrator = origin.administrator { return .account(administrator) }
    switch name {
    case .signInFailed, .secondFactorFailed, .clientAuthenticationFailed, .upstreamLogoutRefused: return .unknown
    case .upstreamSignedOut: return connection.map(Actor.upstream) ?? .unknown
    case .codeReplayed, .tokenIssued, .tokenRevoked, .tokenReused, .tokenRefused, .valueRepeated, .vended, .vendRefused,
      .apiKeyRefused:
      return client.map(Actor.client) ?? .unknown
    default: break
    }
    if origin == .commandLine { return .commandLine }
    if origin == .system { return .system }
    if let account { return .account(account) }
    switch name {
    // Only an app that registered itself changes a client without an account.
    case .clientCreated, .clientChanged, .clientDeleted: return client.map(Actor.client) ?? .unknown
    default: return .unknown
    }
  }
}
