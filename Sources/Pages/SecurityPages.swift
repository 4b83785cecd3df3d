extension PageName {
  /// The pages of what protects an account.
  static let security: [PageName] = [
    .accountSecurity, .accountPassword, .accountAuthenticator, .accountRecoveryCodes, .accountPasskeyNew,
    .secondFactor, .passwordLink, .forgotten, .accountEmail, .emailLink,
  ]

  /// `/account/security`; posts to `/account/security/sessions/end` and `/account/security/sessions/ID/end`, to
  /// `/account/security/authenticator/new`, `/account/security/authenticator/off` and `/account/security/recovery-codes`.
  ///
  /// - `done`: text or none: what was just done
  /// - `password_changed`: time or none: when the local password was changed last, if there is one
  /// - `factors`: flag: the password alone does not sign in; `app_since`: time or none: an authenticator app shows codes
  /// - `recovery_codes`: text: how many are left; `few_codes`: flag: those are few
  /// - `mails`: flag: mail is sent from here; `email`, `waiting_email`: text or none: where notices go, and where a link
  ///   waits
  /// - `passkeys`: list of `id`, `name` (text), `copied` (flag: devices share it), `since` (time), `last_use` (time or
  ///   none); `can_add`: flag: another one can be made
  /// - `sessions`: list of `id`, `browser` (text), `address` (text or none), `administration`, `here` (flag: it is this
  ///   browser's), `since`, `seen` (time); `others`: flag: some are not of this browser
  public static let accountSecurity = PageName("account-security")

  /// `/account/security/password`; posts `present_password`, `password`, `password_again` and `end_others` (`1` or absent)
  /// to the same path.
  ///
  /// - `username`: text: for password managers; `end_others`: flag: that is ticked
  /// - `field.present_password`, `field.password`, `field.password_again`: text fields
  public static let accountPassword = PageName("account-password")

  /// `/forgotten`; posts `username` to the same path.
  ///
  /// - `field.username`: text field
  public static let forgotten = PageName("forgotten")

  /// `/account/security/email`; posts `email`, or `remove` (`1`), to the same path.
  ///
  /// - `is_set`: flag: there is an address; `field.email`: text field
  public static let accountEmail = PageName("account-email")

  /// `/email`, by the link that was sent to a new address; posts `ticket` to the same path.
  ///
  /// - `ticket`: text: the one-time secret of the link; `address`, `name`: text: which address whose account gets
  public static let emailLink = PageName("email-link")

  /// `/account/security/authenticator`; posts `code` to the same path.
  ///
  /// - `qr`: object or none: `path` (text: of an SVG), `size` (text: the side of its picture)
  /// - `secret`: text: the key to type; `issuer`, `username`: text: what the app calls the account
  /// - `field.code`: text field
  public static let accountAuthenticator = PageName("account-authenticator")

  /// `/account/security/recovery-codes`, which shows new ones once.
  ///
  /// - `codes`: list of `code` (text), empty when they were shown before; `username`: text
  public static let accountRecoveryCodes = PageName("account-recovery-codes")

  /// `/account/security/passkeys/new`; its script posts `name`, `client_data` and `attestation` to the same path.
  ///
  /// - `challenge`, `relying_party`, `user`, `username`, `algorithms`, `known`: text: what a browser needs to make one
  /// - `field.name`: text field
  public static let accountPasskeyNew = PageName("account-passkey-new")

  /// `/second-factor`, after a password that was right; posts `code` or `recovery_code` to the same path.
  ///
  /// - `ticket`: text: what to go on with afterwards, or empty
  /// - `app`: flag: an authenticator app shows codes; `recovery`: flag: there are recovery codes; `recovery_open`: flag:
  ///   their field is shown at once
  /// - `passkey`: object or none: `challenge`, `relying_party`, `known` (text), as in ``signIn``, of the account's own
  /// - `field.code`, `field.recovery_code`: text fields
  public static let secondFactor = PageName("second-factor")

  /// `/password`, by an administrator's link; posts `password` and `password_again` to the same path.
  ///
  /// - `ticket`: text: the one-time secret of the link; `username`: text: whose password it sets
  /// - `field.password`, `field.password_again`: text fields
  public static let passwordLink = PageName("password-link")
}
