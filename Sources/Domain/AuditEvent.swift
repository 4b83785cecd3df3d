/// One line of the audit log, written in the same transaction as what it tells of.
public struct AuditEvent: Sendable, Equatable {
  /// What happened.
  ///
  /// The names follow the OWASP logging vocabulary where it has one, and never change their meaning.
  public enum Name: String, Sendable, CaseIterable {
    case signInSucceeded = "authn_login_success"
    case signInFailed = "authn_login_fail"
    case passwordChanged = "authn_password_change"
    case passwordChangeFailed = "authn_password_change_fail"
    case passwordLinkMade = "password_link_created"
    case factorAdded = "authn_factor_add"
    case factorRemoved = "authn_factor_remove"
    case recoveryCodesMade = "authn_recovery_codes_created"
    case secondFactorFailed = "authn_factor_fail"
    case sessionEnded = "session_logout"
    case appSignedOut = "session_logout_app"
    case upstreamSignedOut = "session_logout_upstream"
    case upstreamLogoutRefused = "session_logout_upstream_fail"
    case accountCreated = "user_created"
    case accountChanged = "user_updated"
    case invited = "invitation_created"
    case invitationWithdrawn = "invitation_withdrawn"
    case invitationAccepted = "invitation_accepted"
    case codeIssued = "code_issued"
    case codeReplayed = "code_replayed"
    case tokenIssued = "authn_token_created"
    case tokenRevoked = "authn_token_revoked"
    case tokenReused = "authn_token_reuse"
    case tokenRefused = "authn_token_fail"
    case valueRepeated = "client_value_reused"
    case clientAuthenticationFailed = "client_authn_fail"
    case consentGiven = "consent_given"
    case consentRefused = "consent_refused"
    case consentWithdrawn = "consent_withdrawn"
    case connected = "connection_linked"
    case connectFailed = "connection_link_fail"
    case disconnected = "connection_unlinked"
    case vended = "sensitive_read"
    case vendRefused = "vend_refused"
    case upstreamRefreshed = "upstream_refreshed"
    case upstreamRefreshFailed = "upstream_refresh_fail"
    case upstreamRevoked = "upstream_revoked"
    case upstreamNotRevoked = "upstream_not_revoked"
    case connectionCreated = "connection_created"
    case connectionChanged = "connection_updated"
    case connectionDeleted = "connection_deleted"
    case clientCreated = "client_created"
    case clientChanged = "client_updated"
    case clientDeleted = "client_deleted"
    case registrationTokenCreated = "registration_token_created"
    case registrationTokenRevoked = "registration_token_revoked"
    case apiKeyCreated = "api_key_created"
    case apiKeyFollowed = "api_key_next"
    case apiKeyTokenIssued = "api_key_token"
    case apiKeyChanged = "api_key_updated"
    case apiKeyRevoked = "api_key_revoked"
    case apiKeyRefused = "api_key_fail"
    case appPasswordCreated = "app_password_created"
    case appPasswordEnded = "app_password_ended"
    case appPasswordRefused = "app_password_fail"
    case emailChanged = "email_updated"
    case passwordForgotten = "authn_password_forgotten"
    case webhookCreated = "webhook_created"
    case webhookDeleted = "webhook_deleted"
    case mailGivenUp = "mail_given_up"
    case systemStarted = "sys_startup"
    case formRefused = "malicious_csrf"
    case signingKeyPublished = "signing_key_published"
    case signingKeyWithdrawn = "signing_key_withdrawn"
    case decryptionFailed = "crypt_decrypt_fail"
  }

  public enum Outcome: String, Sendable {
    case success
    case failure
  }

  public let name: Name
  public let outcome: Outcome
  public let at: Timestamp
  /// Whose credential or account it is about.
  public let account: AccountID?
  public let client: ClientID?
  public let connection: ConnectionID?
  /// Scheme, host and path of the URL an app named; never its query.
  public let resource: String?
  /// A short fixed word or sentence; never a secret or a value from outside, but for the reason that an unattended job
  /// gave, which hides and moves nothing.
  public let detail: String?
  public let origin: Origin

  /// Where the request came from.
  public struct Origin: Sendable, Equatable {
    public let requestID: String
    public let address: String
    /// Whose request it was when an administrator acted on what is not their own.
    public var administrator: AccountID?

    public init(requestID: String, address: String, administrator: AccountID? = nil) {
      self.requestID = requestID
      self.address = address
      self.administrator = administrator
    }

    /// The service itself, not on anybody's request.
    public static let system = Origin(requestID: "", address: "")
    /// Whoever may run commands on this machine.
    public static let commandLine = Origin(requestID: "", address: "command line")
  }

  public init(
    _ name: Name, _ outcome: Outcome = .success, at: Timestamp, origin: Origin, account: AccountID? = nil,
    client: ClientID? = nil, connection: ConnectionID? = nil, resource: String? = nil, detail: String? = nil
  ) {
    self.name = name
    self.outcome = outcome
    self.at = at
    self.origin = origin
    self.account = account
    self.client = client
    self.connection = connection
    self.resource = resource
    self.detail = detail
  }
}
