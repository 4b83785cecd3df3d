import Domain

/// The kinds of events that the audit page can show alone.
enum AuditKind: String, CaseIterable, Sendable {
  case signIns = "sign_ins"
  case people
  case permissions
  case tokens
  case vends
  case services
  case configuration
  case system

  var names: [AuditEvent.Name] { AuditEvent.Name.allCases.filter { $0.kind == self } }
}

extension AuditEvent.Name {
  var kind: AuditKind {
    switch self {
    case .signInSucceeded, .signInFailed, .passwordChanged, .passwordChangeFailed, .passwordForgotten, .factorAdded,
      .factorRemoved, .recoveryCodesMade, .secondFactorFailed, .sessionEnded, .appSignedOut, .upstreamSignedOut,
      .upstreamLogoutRefused:
      .signIns
    case .accountCreated, .accountChanged, .emailChanged, .passwordLinkMade, .invited, .invitationWithdrawn,
      .invitationAccepted:
      .people
    case .consentGiven, .consentRefused, .consentWithdrawn, .appPasswordCreated, .appPasswordEnded: .permissions
    case .codeIssued, .codeReplayed, .tokenIssued, .tokenRevoked, .tokenReused, .tokenRefused, .valueRepeated,
      .apiKeyRefused, .apiKeyTokenIssued, .appPasswordRefused,
      .clientAuthenticationFailed:
      .tokens
    case .vended, .vendRefused: .vends
    case .connected, .connectFailed, .disconnected, .upstreamRefreshed, .upstreamRefreshFailed, .upstreamRevoked,
      .upstreamNotRevoked:
      .services
    case .connectionCreated, .connectionChanged, .connectionDeleted, .clientCreated, .clientChanged, .clientDeleted,
      .webhookCreated, .webhookDeleted, .registrationTokenCreated, .registrationTokenRevoked, .apiKeyCreated,
      .apiKeyFollowed, .apiKeyChanged,
      .apiKeyRevoked:
      .configuration
    case .systemStarted, .mailGivenUp, .signingKeyPublished, .signingKeyWithdrawn, .decryptionFailed, .formRefused:
      .system
    }
  }

  /// What happened, in words for people.
  var words: String {
    switch self {
    case .signInSucceeded: "Signed in"
    case .signInFailed: "Sign-in failed"
    case .passwordChanged: "Password changed"
    case .passwordChangeFailed: "Password not changed"
    case .passwordLinkMade: "Password link made"
    case .factorAdded: "Second factor added"
    case .factorRemoved: "Second factor removed"
    case .recoveryCodesMade: "Recovery codes made"
    case .secondFactorFailed: "Second factor wrong"
    case .sessionEnded: "Signed out"
    case .appSignedOut: "Told an app of a sign-out"
    case .upstreamSignedOut: "Signed out at the service"
    case .upstreamLogoutRefused: "Sign-out at the service not believed"
    case .accountCreated: "Account made"
    case .accountChanged: "Account changed"
    case .passwordForgotten: "Password link asked for"
    case .emailChanged: "E-mail address changed"
    case .webhookCreated: "Webhook made"
    case .webhookDeleted: "Webhook deleted"
    case .mailGivenUp: "Mail given up"
    case .invited: "Person invited"
    case .invitationWithdrawn: "Invitation withdrawn"
    case .invitationAccepted: "Invitation accepted"
    case .codeIssued: "App got a code"
    case .codeReplayed: "Code used twice"
    case .tokenIssued: "App got a token of Gatehouse"
    case .tokenRevoked: "App gave a token back"
    case .tokenReused: "Refresh token used twice"
    case .tokenRefused: "App was refused a token"
    case .valueRepeated: "App used a code challenge or nonce twice"
    case .clientAuthenticationFailed: "App did not prove who it is"
    case .consentGiven: "App allowed"
    case .consentRefused: "App not allowed"
    case .consentWithdrawn: "Permission taken back"
    case .connected: "Service connected"
    case .connectFailed: "Service not connected"
    case .disconnected: "Service disconnected"
    case .vended: "App got a token of a service"
    case .vendRefused: "App was refused a service"
    case .upstreamRefreshed: "Credential renewed"
    case .upstreamRefreshFailed: "Credential not renewed"
    case .upstreamRevoked: "Credential revoked at the service"
    case .upstreamNotRevoked: "Credential not revoked at the service"
    case .connectionCreated: "Connection added"
    case .connectionChanged: "Connection changed"
    case .connectionDeleted: "Connection deleted"
    case .clientCreated: "Client registered"
    case .clientChanged: "Client changed"
    case .clientDeleted: "Client deleted"
    case .registrationTokenCreated: "Token for registrations made"
    case .registrationTokenRevoked: "Token for registrations revoked"
    case .apiKeyCreated: "API key made"
    case .apiKeyFollowed: "Next secret of an API key made"
    case .apiKeyTokenIssued: "Token of an API key made"
    case .apiKeyChanged: "API key changed"
    case .apiKeyRevoked: "API key revoked"
    case .apiKeyRefused: "API key refused"
    case .appPasswordCreated: "App password made"
    case .appPasswordEnded: "App password ended"
    case .appPasswordRefused: "App password refused"
    case .systemStarted: "Gatehouse started"
    case .signingKeyPublished: "Signing key published"
    case .signingKeyWithdrawn: "Signing key taken back"
    case .decryptionFailed: "Sealed value does not open"
    case .formRefused: "Form from elsewhere refused"
    }
  }
}
