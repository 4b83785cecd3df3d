/// The pages on which people change what protects their account.
enum SecurityPage: String, Sendable {
  case overview
  case password
  case email
  case authenticator
  case newPasskey = "passkeys/new"
  case recoveryCodes = "recovery-codes"
  /// Where app passwords are made.
  case apps

  var path: String {
    switch self {
    case .overview: "/account/security"
    case .apps: AllowedAppsEndpoint.path
    default: "/account/security/\(rawValue)"
    }
  }
}
