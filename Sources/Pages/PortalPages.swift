extension PageName {
  /// The pages of signing in, of the account and of apps.
  static let portal: [PageName] = [
    .setup, .home, .signIn, .account, .accountNotices, .accountApps, .accountLedger, .withdrawConsent, .invitation,
    .consent, .formPost, .leave,
    .device,
    .deviceAnswered, .arcGISSignIn, .arcGISApproval,
    .signOut, .signOutReport, .endSession, .signedOut, .error,
  ]

  /// The sign-in of ArcGIS apps that ask for user name and password themselves; posts `oauth_state`, `username`, `password` to
  /// `/ID/sharing/oauth2/signin`.
  ///
  /// Programs look for the only braces in it, with JSON on one line between them: `oauth_state`, or the `messages` of a
  /// refusal.
  ///
  /// - `id`: text or none: the connection; none at the root
  /// - `oauth_state`, `service`, `username`: text; `app_passwords_url`: link; `in_browser_url`: link or none
  /// - `refused`, `slowed`: flag: user name or password was wrong; too often, too
  public static let arcGISSignIn = PageName("arcgis-sign-in")

  /// Shows a code that a person copies, or a program reads from the title.
  ///
  /// - `code`, `service`: text
  public static let arcGISApproval = PageName("arcgis-approval")

  /// First run, `/setup`; posts `username`, `display_name`, `password`, `password_again` to `/setup`.
  ///
  /// - `ticket`: text: the one-time secret of the setup link
  /// - `field.username`, `field.display_name`, `field.password`, `field.password_again`: text fields
  public static let setup = PageName("setup")

  /// `/`, for somebody who is signed out; links to `/signin`.
  ///
  /// - `is_set_up`: flag: there is an administrator; without one the page says how to make one
  public static let home = PageName("home")

  /// `/signin`; posts `username`, `password` to `/signin`, links to `/signin/ID`.
  ///
  /// - `ticket`: text: what to go on with afterwards, or empty
  /// - `client_name`: text or none: the app that sent the person here
  /// - `to_administration`: flag: the sign-in is for the administration
  /// - `again_name`: text or none: who is signed in already, and is to sign in again for an app
  /// - `again`: flag: somebody is signed in, and has to prove it anew
  /// - `can_ask_for_link`: flag: who has forgotten a password can have a link mailed
  /// - `connections`: list of `id`, `name`, `host` (text), `kind` (choice of ``KindName``)
  /// - `passkey`: object or none: `challenge`, `relying_party`, `known` (text): what a browser needs to ask for one; its
  ///   script posts to `/passkey`
  /// - `field.username`, `field.password`: text fields
  public static let signIn = PageName("sign-in")

  /// `/account`; links to `/connect/ID` and `/disconnect/ID`.
  ///
  /// - `connected_name`, `disconnected_name`: text or none: what was just done
  /// - `notices`: list of what is unread: `id`, `text`, `place`, `advice`, `link`, `urgent`, `time` as in ``accountNotices``;
  ///   `more_notices`: flag: there is more of it
  /// - `services`: list of what is connected: `id`, `name`, `host`, `signed_in_as` (text, the last or none), `kind`,
  ///   `state` (choice of ``BadgeState``), `reason` (text or none: what happened), `renews` (flag), `endless` (flag: its
  ///   token needs no renewal), `expires` (time or none), `kept_until` (time or none: when it is given up before),
  ///   `kept_here` (flag: it ends with a browser session), `last_use` (time or none), `used_by`, `certificate`
  /// - `available`: list of what is not: `id`, `name`, `host`, `kind`
  /// - `uses`: list: `client`, `service` (text), `client_id` (text or none), `proxied`, `unattended` (flag), `lifetime` (text or none:
  ///   “30 minutes”), `time` (time)
  public static let account = PageName("account")

  /// `/account/notices`, newest first; posts each `notice` that was read to the same path.
  ///
  /// - `notices`: list of `id`, `text` (text), `place`, `advice` (text or none), `link` (link: where something can be done
  ///   about it), `urgent`, `unread` (flag), `time` (time); `any_unread`: flag
  /// - `pager`: as in ``adminLedger``: `shown`, `first`, `next`
  public static let accountNotices = PageName("account-notices")

  /// `/account/apps`; links to `/account/apps/ID`.
  ///
  /// - `withdrawn_name`, `unattended_name`: text or none: the app that was just told to stop, or to stop its jobs
  /// - `apps`: list of `id`, `name` (text), `disabled` (flag), `scopes` and `other_scopes` as in ``consent``,
  ///   `services` (list of `name` (text), `raw_token`, `unattended` (flag)), `given` (time), `last_use` (time or none)
  /// - `ended_name`: text or none: the app whose password was just ended; `has_app_passwords`: flag: there is anything of the
  ///   following
  /// - `new_app_password`: none, or what was just made: `password`, `portal` (text), `username` (text or none)
  /// - `app_passwords`: list of `id`, `app`, `service` (text), `taken` (flag), `made` (time), `last_use` (time or none); ended by
  ///   `/account/app-passwords/ID/end`
  /// - `fresh`: flag: the person signed in lately enough to make one
  /// - `places`: list of `value`, `app`, `service` (text), `nameless`, `chosen` (flag); `field.place`: text field, posted to
  ///   `/account/app-passwords`
  public static let accountApps = PageName("account-apps")

  /// `/account/apps/ID/ledger`, newest first.
  ///
  /// - `id`, `app_name`: text; `allowed`: flag: the person allows it something
  /// - `uses`: list of `time` (time, to the second), `resource` (text), `service` (text or none), `refused`, `proxied`
  ///   (flag), `reason` (text: why nothing was given), `lifetime` (text or none: “30 minutes”), `job` (text or none: why
  ///   an unattended job asked)
  /// - `pager`: as in ``adminLedger``: `shown`, `first`, `next`
  public static let accountLedger = PageName("account-ledger")

  /// `/account/apps/ID`: asks before a consent ends; posts to the same path, with `only` = `unattended` for its jobs alone.
  ///
  /// - `id`, `name`: text: the app; `services`: list of `name` (text), `unattended` (flag); `unattended`: flag: for some
  /// - `got_tokens`: flag: it may have been handed tokens of services; `given`: time; `last_use`: time or none
  public static let withdrawConsent = PageName("withdraw-consent")

  /// `/invitation`: where the link of an invitation leads; posts to the same path.
  ///
  /// - `ticket`: text: the link's secret; `id`, `name`, `host`: text: the connection; `kind`: choice of ``KindName``
  /// - `invitee`: text or none: the user name that alone may accept it; `ends`: time
  /// - `account_name`: text or none: who is signed in already
  public static let invitation = PageName("invitation")

  /// Asked by `/oauth2/authorize`; posts `answer` (`deny`, `allow`) and every ticked `connection` and
  /// `unattended` to `/consent`.
  ///
  /// - `ticket`: text: the authorization request; `shown`: text: a mark of what the page shows, to be sent back
  /// - `client_name`, `account_name`: text
  /// - `reads_code`: flag: the person reads the code from a page and types it into the app
  /// - `returns_to`: text or none: the host of the redirect URI, and its port unless it is the usual one
  /// - `device`: object or none: `address` (text) from which and `asked` (time) when a device without a browser asked
  /// - `registered`: time; `lasts`: text: for how long the app can go on by itself; `outlasts`: flag: also after a sign-out
  /// - `scopes`: object of flags: `openid`, `profile`, `email`, `offline_access`, `vend`, `vend_unattended`
  /// - `portals`: list of `name` (text): connections that it uses as their ArcGIS portals; `acts`: flag: the app will do
  ///   something for the person; `unconnected`: `id`, `name` (text) of one that the person has to connect first, or none
  /// - `other_scopes`: list of text; `connect_ticket`: text: the ticket with which `/connect/ID` comes back here
  /// - `connections`: list of `id`, `name` (text), `raw_token`, `connected`, `checked` (flag; not ticked at first), `leavable`
  ///   (flag: it may be allowed for unattended use, too), `left` (flag: that is ticked)
  /// - `leavable`: list of `id`, `name` (text), `left` (flag): the same of those that were allowed before, asked alone
  /// - `before`: none, or what was allowed before and stays, where only what is new is asked: `scopes`, `other_scopes`,
  ///   `services` (list of `name`)
  /// - `field.connection`: choices; only its error is shown
  /// - `unchecked`: flag: the app registered itself, and no administrator has checked it
  /// - `about`: list of `label`, `host` (text), `url` (link): what an app that registered itself says of itself
  public static let consent = PageName("consent")

  /// `/device`, where the code that a device shows is typed; posts `user_code` to `/device`.
  ///
  /// - `field.user_code`: text field
  public static let device = PageName("device")

  /// `/device` after the decision.
  ///
  /// - `allowed`: flag
  public static let deviceAnswered = PageName("device-answered")

  /// Brings the answer to an app that wants it posted; its script, or else a button, does that.
  ///
  /// - `host`: text: where it leads; `post`: `target` (link) and `fields` (list of `name`, `value`: text)
  public static let formPost = PageName("form-post")

  /// Instead of a redirect to an app that registered itself, when its request cannot be answered; posts `target` to
  /// `/oauth2/leave`.
  ///
  /// - `client_name`, `host`, `reason`: text; `target`: text: where it leads, signed
  /// - `post`: none, or what is posted to the app instead: `target` (link) and `fields` (list of `name`, `value`: text)
  public static let leave = PageName("leave")

  /// `/signout` before; posts `keep` (`1` or absent) to `/signout`.
  ///
  /// - `ticket`: text: an app's request to sign out, or empty; `account_name`: text
  /// - `other_sessions`, `administrator_name`: text or none: how many more the account has; who administers in this browser
  /// - `services`: list of `name`, `host` (text), `plan` (choice of ``SignOutPlan``), `own_page` (flag: it has a
  ///   sign-out page), `endless` (flag: its token does not end by itself)
  /// - `unattended`: flag: jobs of apps go on with the services that are kept
  public static let signOut = PageName("sign-out")

  /// `/signout` after.
  ///
  /// - `all_done`: flag: nothing failed or is retried; `steps_left`: flag: a sign-out link should be followed
  /// - `other_sessions`: text or none
  /// - `administrator_name`: text or none: who was signed in to the administration in this browser
  /// - `services`: list of `name`, `host` (text), `result` (choice of ``SignOutResult``), `ends` (time or none: when
  ///   its token stops by itself), `federated_ends` (time or none: the same for tokens of federated servers),
  ///   `endless` (flag: its token is not cancelled and does not end by itself), `sign_out_url` (link or none),
  ///   `proxy_name` (text or none: what it can be told through, where the sign-in has ended)
  public static let signOutReport = PageName("sign-out-report")

  /// `/oauth2/end_session`, when an app asks to sign somebody out and does not prove that it means them.
  ///
  /// - `client_name`: text or none; `account_name`: text
  /// - `fields`: list of `name`, `value` (text): what the app sent, to be sent again
  public static let endSession = PageName("end-session")

  /// `/signed-out`.
  ///
  /// - `return_url`: link or none: where the app wants the person back; `client_name`: text or none: that app
  public static let signedOut = PageName("signed-out")

  /// Any refusal or fault shown to a person.
  ///
  /// - `title`, `message`: text: what happened; `advice`: text or none: what to do
  /// - `retry_url`: link or none
  /// - `time`: time
  /// - `code`: text or none: the refusal's code
  /// - `request_id`: text
  public static let error = PageName("error")
}
