/// The state badge of a credential, connection, client or secret: the slot `state`.
public enum BadgeState: String, CaseIterable, Sendable {
  case healthy, active, expiring, broken, retrying, revoked, disabled, unused, unconnected
}

/// The words for a connection's kind: the slot `kind`; raw values as in the configuration.
public enum KindName: String, CaseIterable, Sendable {
  case oauthUser, iap, oidc, oauthApplication, token, pregeneratedToken, apiKey, password, kerberos, certificate
  case serverTrust
}

/// What signing out will do with a connected service: the slot `plan`.
public enum SignOutPlan: String, CaseIterable, Sendable {
  case revoke, delete, keep
  /// A password or key, which nobody could cancel.
  case forget
}

/// What signing out did with a connected service: the slot `result`.
public enum SignOutResult: String, CaseIterable, Sendable {
  /// Confirmed by the service.
  case revoked
  /// Deleted here; the service has nothing to revoke.
  case deleted
  /// Deleted here: a password or key, which nobody could revoke.
  case forgotten
  /// Deleted here; the service did not answer and is asked again.
  case retrying
  /// Deleted here; the service refused.
  case failed
  case kept
}

/// Who gets an account by signing in with a connection: the slot `admission`.
public enum AdmissionName: String, CaseIterable, Sendable {
  case invited, listed, anyone
}

/// Why a person must decide, or cannot go on, after signing in at a service: the slot `reason` of `link-account`.
public enum LinkReason: String, CaseIterable, Sendable {
  /// The account used this service as another person before.
  case otherIdentity = "other_identity"
  /// The connection admits invited people only.
  case notInvited = "not_invited"
}

/// Where a person stands who connects a service: the slot `step` of `connect`.
public enum ConnectStep: String, CaseIterable, Sendable {
  case connect
  /// It is connected, and the app that waits needs permission.
  case allow
  /// Nothing is left to do here.
  case done
}

/// Where a challenge ends: the slot `result` of `challenge-end`.
public enum ChallengeResult: String, CaseIterable, Sendable {
  /// Everything is satisfied.
  case ready
  /// The same, and the app that waits needs permission.
  case allow
  /// The person goes on without a credential.
  case skipped
  case cancelled
  /// Too many sign-ins were begun.
  case exhausted
  /// No connection answers what is asked for.
  case unmet
  /// None but those that the person does not want to use.
  case rejected
  /// The server knows the person, and refuses.
  case forbidden
  /// What is asked for cannot be told.
  case unknown
  /// The server does not answer.
  case silent
  /// It makes tokens or shows secrets, so that no credential is shown to it.
  case secret
}
