/// The pages on which people change what protects their account.
enum SecurityPage: String, Sendable {
  case overview
  case password
  case authenticator
  case newPasskey = "passkeys/new"
  case recoveryCodes = "recovery-codes"

  var path: String { self == .overview ? "/account/security" : "/account/security/\(rawValue)" }
}
