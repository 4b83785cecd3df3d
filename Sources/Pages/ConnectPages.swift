extension PageName {
  /// The pages that connect a service, and give it up.
  static let connecting: [PageName] = [
    .connect, .connectPassword, .connectToken, .challengeAddress, .challenge, .challengeEnd, .connectLogin,
    .connectKerberos, .connectCertificate, .disconnect, .linkAccount,
  ]

  /// `/connect/ID`; posts to the same path, with `answer` (`deny`, `allow`) when it asks for permission.
  ///
  /// - `step`: choice of ``ConnectStep``
  /// - `ticket`: text: the link of an app that waits, or of the consent page, or empty
  /// - `back`: link: where “Not now” leads
  /// - `id`, `name`, `host`, `account_name`: text; `kind`: choice of ``KindName``
  /// - `client_name`: text or none: the app that waits; `signed_in_as`: text or none: who is connected already
  /// - `raw_token`: flag: the app gets the service's own token
  /// - `field.kept`: choice: `sign_out`, `browser`, `date`: how long it is kept; `field.kept_until`: text field: a day
  /// - `kept_days`: text or none: the longest that an administrator allows
  public static let connect = PageName("connect")

  /// `/connect/ID` of a service that takes user name and password; posts `username`, `password`, `keep` (`1` or absent)
  /// and `replace` (the mark, or absent) to the same path.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`: as in ``connect``
  /// - `address`: text: where the password goes; `lifetime`: text: how long a token is asked for
  /// - `offered`, `before`, `mark`: text or none: the identity that may take the place of another
  /// - `field.username`, `field.password`: text fields; `field.keep`: choice: `on`
  /// - `field.kept`, `field.kept_until`, `kept_days`: as in ``connect``; `field.replace`: only its error is shown
  public static let connectPassword = PageName("connect-password")

  /// `/connect/ID` of a service that takes a token made elsewhere; posts `token`, `expires`, `referer` and `replace`.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.kept`, `field.kept_until`, `kept_days`: as in ``connectPassword``
  /// - `field.token`, `field.expires`, `field.referer`: text fields
  public static let connectToken = PageName("connect-token")

  /// `/connect` without an address, the text field `field.resource`; goes to `/connect?resource=…`.
  public static let challengeAddress = PageName("challenge-address")

  /// `/connect?resource=URL`: the layer that is next; posts `do` (`continue`, `skip`, `other`, `cancel`), `ticket`,
  /// `connection`, `asked`, `kept` and `kept_until` to `/connect`.
  ///
  /// - `ticket`, `kept_days`, `field.kept`, `field.kept_until`: as in ``connect``
  /// - `connection`, `name`, `host` (text), `kind`: what answers the layer; `by_form`: flag: by a form here
  /// - `resource`, `target`: text: the URL and its host; `client_name`: text or none: the app that waits
  /// - `other_ways`, `server_asks`: flags: there are some; not the app alone; `asked`, `asked_english`: text: for what; `problem`: text or none: of the sign-in that is held
  /// - `steps`: list of `number`, `title`, `text` (text), `done` (flag): the layers that are known
  public static let challenge = PageName("challenge")

  /// Where it ends; posts `do` (`allow`, `cancel`), `ticket`, `connection` and `asked` to `/connect`, if the app must ask.
  ///
  /// - `result`: choice of ``ChallengeResult``; `ticket`, `resource`, `target`, `asked`, `asked_english`, `client_name`: as before
  /// - `gets`: list of `name`, `fields` (text), `signed_in_as` (text or none), `of_service`, `by_proxy` (flags): what the app gets
  /// - `to_allow`: text or none: what it needs permission for; `connection`: their ids; `raw_token`, `by_proxy`: flags
  /// - `again`: link: the same from the start; `back`: link or none: the question of the app that waits
  public static let challengeEnd = PageName("challenge-end")

  /// `/connect/ID` of a web server that asks for user name and password; posts as ``connectPassword``, without `keep`.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.username`, `field.password`, `field.kept`, `field.kept_until`, `kept_days`
  /// - `realm` (text or none), `scheme` (text): what the login is for, and how; `windows`: flag: of a Windows domain
  public static let connectLogin = PageName("connect-login")

  /// `/connect/ID` of a web server that asks for Kerberos; posts as ``connectLogin``, and the file `keytab`.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.username`, `field.password`, `field.kept`, `field.kept_until`, `kept_days`,
  ///   `kerberos_realm` (text), `field.keytab` (only its error is shown)
  public static let connectKerberos = PageName("connect-kerberos")

  /// `/connect/ID` of a service that takes a client certificate, as ``connectToken``; posts multipart/form-data.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.kept`, `field.kept_until`, `kept_days`, `field.file`, `field.passphrase`
  /// - `other_authority`: flag: it is of no authority that the server names; `field.any_authority`: choice: `on`
  public static let connectCertificate = PageName("connect-certificate")

  /// `/disconnect/ID`; posts to the same path.
  ///
  /// - `id`, `name`, `host`: text; `kind`: choice of ``KindName``; `signed_in_as`: text or none
  /// - `revocable`: flag: the service can cancel the sign-in
  /// - `network`: flag: it is a password or key, which nobody could cancel
  /// - `ends`: time or none: when its token stops by itself
  public static let disconnect = PageName("disconnect")

  /// After a callback that needs a decision or is refused; posts `answer` (`keep`, `replace`) to `/connect/ID/confirm`.
  ///
  /// - `reason`: choice of ``LinkReason``; `ticket`: text; `id`, `name`, `host`: text: the connection
  /// - `identity`, `identity_before`: text: who signed in there now and before; the last may be none
  /// - `account_name`: text, may be none for somebody without an account
  /// - `has_invitation`: flag, when not invited: the person opened an invitation that does not count
  public static let linkAccount = PageName("link-account")
}
