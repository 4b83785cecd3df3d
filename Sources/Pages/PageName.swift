/// The pages of `Public/pages`; the raw value is the file's name without `.html`.
///
/// Each case lists the slots its page needs. A value is one of: *text*, *link* (``PageContext/url(_:)``), *flag*,
/// *list*, *time* (``PageContext/time(_:)``), *choice* of an enum (``PageContext/choice(_:)``). “or none” means
/// ``PageContext/none``; it must be given all the same. A slot inside a list is looked up in the item first.
///
/// Every page:
///
/// - `base`: link: the path of the external URL, empty or like `/gate`, no slash at the end
/// - `style`, `logo`: link: the hashed addresses of `assets/style.css` and `assets/logo.svg`, with `base`
/// - `organisation`: text: who runs this installation
/// - `is_named`: flag: whether that is a name somebody chose
/// - `help_url`, `privacy_url`: link or none
///
/// Pages with a form, and every page of account and administration:
///
/// - `csrf`: text: sent back as the field `csrf`
/// - `ticket`: text, where listed: names the flow to go on with; sent back as the field or parameter `ticket`; may be
///   empty
/// - `errors`: list of `field` and `text`: the summary (``PageForm``)
/// - `field.NAME`: `value` (text) and `error` (text or none); for choices a flag for each option (``PageForm``)
///
/// A certificate: `subject`, `issuer`, `fingerprint`, `public_key` (text), `from`, `until` (time).
///
/// Every page of account and administration: `account_name` (text); those of the account also `is_administrator`
/// (flag), those of the administration `person_name` (text or none: who is signed in as a person in this browser).
public enum PageName: String, CaseIterable, Sendable {
  /// First run, `/setup`; posts `username`, `display_name`, `password`, `password_again` to `/setup`.
  ///
  /// - `ticket`: text: the one-time secret of the setup link
  /// - `field.username`, `field.display_name`, `field.password`, `field.password_again`: text fields
  case setup

  /// `/`, for somebody who is signed out; links to `/signin`.
  ///
  /// - `is_set_up`: flag: there is an administrator; without one the page says how to make one
  case home

  /// `/signin`; posts `username`, `password` to `/signin`, links to `/signin/ID`.
  ///
  /// - `ticket`: text: what to go on with afterwards, or empty
  /// - `client_name`: text or none: the app that sent the person here
  /// - `to_administration`: flag: the sign-in is for the administration
  /// - `connections`: list of `id`, `name`, `host` (text), `kind` (choice of ``KindName``)
  /// - `field.username`, `field.password`: text fields
  case signIn = "sign-in"

  /// `/account`; links to `/connect/ID` and `/disconnect/ID`.
  ///
  /// - `connected_name`, `disconnected_name`: text or none: what was just done
  /// - `services`: list of what is connected: `id`, `name`, `host`, `signed_in_as` (text, the last or none), `kind`,
  ///   `state` (choice of ``BadgeState``), `reason` (text or none: what happened), `renews` (flag), `endless` (flag: its
  ///   token needs no renewal), `expires` (time or none), `kept_until` (time or none: when it is given up before),
  ///   `kept_here` (flag: it ends with a browser session), `last_use` (time or none), `used_by`, `certificate`
  /// - `available`: list of what is not: `id`, `name`, `host`, `kind`
  /// - `uses`: list: `client`, `service` (text), `proxied` (flag), `lifetime` (text or none: “30 minutes”), `time` (time)
  case account

  /// `/account/apps`; links to `/account/apps/ID`.
  ///
  /// - `withdrawn_name`: text or none: the app that was just told to stop
  /// - `apps`: list of `id`, `name` (text), `disabled` (flag), `scopes` and `other_scopes` as in ``consent``,
  ///   `services` (list of `name` (text), `raw_token` (flag)), `given` (time), `last_use` (time or none)
  case accountApps = "account-apps"

  /// `/account/apps/ID`: asks before a consent ends; posts to the same path.
  ///
  /// - `id`, `name`: text: the app; `services`: list of `name` (text)
  /// - `got_tokens`: flag: it may have been handed tokens of services; `given`: time; `last_use`: time or none
  case withdrawConsent = "withdraw-consent"

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
  case connect

  /// `/connect/ID` of a service that takes user name and password; posts `username`, `password`, `keep` (`1` or absent)
  /// and `replace` (the mark, or absent) to the same path.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`: as in ``connect``
  /// - `address`: text: where the password goes; `lifetime`: text: how long a token is asked for
  /// - `offered`, `before`, `mark`: text or none: the identity that may take the place of another
  /// - `field.username`, `field.password`: text fields; `field.keep`: choice: `on`
  /// - `field.kept`, `field.kept_until`, `kept_days`: as in ``connect``; `field.replace`: only its error is shown
  case connectPassword = "connect-password"

  /// `/connect/ID` of a service that takes a token made elsewhere; posts `token`, `expires`, `referer` and `replace`.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.kept`, `field.kept_until`, `kept_days`: as in ``connectPassword``
  /// - `field.token`, `field.expires`, `field.referer`: text fields
  case connectToken = "connect-token"

  /// `/connect` without an address, the text field `field.resource`; goes to `/connect?resource=…`.
  case challengeAddress = "challenge-address"

  /// `/connect?resource=URL`: the layer that is next; posts `do` (`continue`, `skip`, `other`, `cancel`), `ticket`,
  /// `connection`, `asked`, `kept` and `kept_until` to `/connect`.
  ///
  /// - `ticket`, `kept_days`, `field.kept`, `field.kept_until`: as in ``connect``
  /// - `connection`, `name`, `host` (text), `kind`: what answers the layer; `by_form`: flag: by a form here
  /// - `resource`, `target`: text: the URL and its host; `client_name`: text or none: the app that waits
  /// - `server_asks`: flag: not the app alone; `asked`: text: for what; `problem`: text or none: of the sign-in that is held
  /// - `steps`: list of `number`, `title`, `text` (text), `done` (flag): the layers that are known
  case challenge

  /// Where it ends; posts `do` (`allow`, `cancel`), `ticket`, `connection` and `asked` to `/connect`, if the app must ask.
  ///
  /// - `result`: choice of ``ChallengeResult``; `ticket`, `resource`, `target`, `asked`, `client_name`: as before
  /// - `gets`: list of `name`, `fields` (text), `signed_in_as` (text or none), `by_proxy` (flag): what the app gets
  /// - `to_allow`: text or none: what it needs permission for; `connection`: their ids; `raw_token`, `by_proxy`: flags
  /// - `again`: link: the same from the start; `back`: link or none: the question of the app that waits
  case challengeEnd = "challenge-end"

  /// `/connect/ID` of a web server that asks for user name and password; posts as ``connectPassword``, without `keep`.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.username`, `field.password`, `field.kept`, `field.kept_until`, `kept_days`
  /// - `realm` (text or none), `scheme` (text): what the login is for, and how; `windows`: flag: of a Windows domain
  case connectLogin = "connect-login"

  /// `/connect/ID` of a web server that asks for Kerberos; posts as ``connectLogin``, and the file `keytab`.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.username`, `field.password`, `field.kept`, `field.kept_until`, `kept_days`,
  ///   `kerberos_realm` (text), `field.keytab` (only its error is shown)
  case connectKerberos = "connect-kerberos"

  /// `/connect/ID` of a service that takes a client certificate, as ``connectToken``; posts multipart/form-data.
  ///
  /// - `ticket`, `back`, `id`, `name`, `host`, `kind`, `client_name`, `account_name`, `signed_in_as`, `address`, `offered`,
  ///   `before`, `mark`, `field.replace`, `field.kept`, `field.kept_until`, `kept_days`, `field.file`, `field.passphrase`
  /// - `other_authority`: flag: it is of no authority that the server names; `field.any_authority`: choice: `on`
  case connectCertificate = "connect-certificate"

  /// `/disconnect/ID`; posts to the same path.
  ///
  /// - `id`, `name`, `host`: text; `kind`: choice of ``KindName``; `signed_in_as`: text or none
  /// - `revocable`: flag: the service can cancel the sign-in
  /// - `network`: flag: it is a password or key, which nobody could cancel
  /// - `ends`: time or none: when its token stops by itself
  case disconnect

  /// After a callback that needs a decision or is refused; posts `answer` (`keep`, `replace`) to `/connect/ID/confirm`.
  ///
  /// - `reason`: choice of ``LinkReason``; `ticket`: text; `id`, `name`, `host`: text: the connection
  /// - `identity`, `identity_before`: text: who signed in there now and before; the last may be none
  /// - `account_name`: text, may be none for somebody without an account
  /// - `has_invitation`: flag, when not invited: the person opened an invitation that does not count
  case linkAccount = "link-account"

  /// `/invitation`: where the link of an invitation leads; posts to the same path.
  ///
  /// - `ticket`: text: the link's secret; `id`, `name`, `host`: text: the connection; `kind`: choice of ``KindName``
  /// - `invitee`: text or none: the user name that alone may accept it; `ends`: time
  /// - `account_name`: text or none: who is signed in already
  case invitation

  /// Asked by `/oauth2/authorize`; posts `answer` (`deny`, `allow`) and every ticked `connection` to `/consent`.
  ///
  /// - `ticket`: text: the authorization request; `client_name`, `account_name`: text
  /// - `returns_to`: text: the host of the redirect URI, and its port unless it is the usual one; `registered`: time
  /// - `scopes`: object of flags: `openid`, `profile`, `email`, `offline_access`, `vend`
  /// - `other_scopes`: list of text; `connect_ticket`: text: the ticket with which `/connect/ID` comes back here
  /// - `connections`: list of `id`, `name` (text), `raw_token`, `connected`, `checked` (flag); not ticked at first
  /// - `field.connection`: choices; only its error is shown
  case consent

  /// `/signout` before; posts `keep` (`1` or absent) to `/signout`.
  ///
  /// - `ticket`: text: an app's request to sign out, or empty; `account_name`: text
  /// - `other_sessions`, `administrator_name`: text or none: how many more the account has; who administers in this browser
  /// - `services`: list of `name`, `host` (text), `plan` (choice of ``SignOutPlan``), `own_page` (flag: it has a
  ///   sign-out page), `endless` (flag: its token does not end by itself)
  case signOut = "sign-out"

  /// `/signout` after.
  ///
  /// - `all_done`: flag: nothing failed or is retried; `steps_left`: flag: a sign-out link should be followed
  /// - `other_sessions`: text or none
  /// - `administrator_name`: text or none: who was signed in to the administration in this browser
  /// - `services`: list of `name`, `host` (text), `result` (choice of ``SignOutResult``), `ends` (time or none: when
  ///   its token stops by itself), `federated_ends` (time or none: the same for tokens of federated servers),
  ///   `endless` (flag: its token is not cancelled and does not end by itself), `sign_out_url` (link or none),
  ///   `proxy_name` (text or none: what it can be told through, where the sign-in has ended)
  case signOutReport = "sign-out-report"

  /// `/signed-out`.
  ///
  /// - `return_url`: link or none: where the app wants the person back; `client_name`: text or none: that app
  case signedOut = "signed-out"

  /// Any refusal or fault shown to a person.
  ///
  /// - `title`, `message`: text: what happened; `advice`: text or none: what to do
  /// - `retry_url`: link or none
  /// - `time`: time
  /// - `code`: text or none: the refusal's code
  /// - `request_id`: text
  case error

  /// `/admin`.
  ///
  /// - `now`: time
  /// - `is_new`: flag: nobody but the administrator has an account yet
  /// - `count.credentials`, `count.healthy`, `count.expiring`, `count.broken`: text: credentials by state
  /// - `count.clients`, `count.accounts`, `count.sessions`: text
  /// - `count.vends`, `count.refused`: text: in the last 24 hours
  /// - `connections`: list of `id`, `name`, `healthy`, `expiring`, `broken` (text), `kind`, `state` (choices),
  ///   `last_refresh` (time or none), `waiting` (none, or `count` and `until` as in ``adminConnection``)
  /// - `events`: list as in ``adminAudit``: `time`, `by`, `by_account`, `by_client`, `by_administrator`, `address`,
  ///   `words`, `event`, `detail`, `account`, `account_id`, `client`, `client_id`, `connection`, `connection_id`,
  ///   `reference`, `refused`; may be empty
  case adminOverview = "admin-overview"

  /// `/admin/connections`.
  ///
  /// - `deleted_name`: text or none; `connections`: list of `id`, `name`, `host`, `credentials` (text: how many), `kind`,
  ///   `state` (choices)
  case adminConnections = "admin-connections"

  /// `/admin/connections/new`; posts the fields by their names to the same path.
  ///
  /// `resources`, `admitted` and `networks` hold one entry on each line; numbers are whole or empty. With `check`, nothing is
  /// added, and `match` says whether `match_url` would be covered. The form of the templates is sent by GET to the same
  /// path: `template`, and a field for each placeholder.
  ///
  /// - `callback_prefix`, `signed_out_url`: text: the external URL with `/callback/`, and where people come back to
  /// - `untrusted`: none, or of a server with an unknown certificate: `server`, `problem`, `public_key`, `chain`; `field.trust`
  /// - `templates`: list of `id`, `name` (text), `chosen` (flag)
  /// - `template`: none, or the chosen one: `id`, `name`, `registration` (text), `documentation` (link), `placeholders`
  ///   (list of `label`, `field`, `meaning`, `value`: text); `field.found_by`: choice: `discovery`, `endpoints`
  /// - `field.authorization_endpoint`, `field.token_endpoint`, `field.user_endpoint`, `field.revocation_endpoint`,
  ///   `field.subject_member`, `field.name_member`, `field.login_prompt`: text fields
  /// - `field.client_authentication`: choice: `basic`, `post`; `field.revocation_way`: choice of `RevocationWay`
  /// - `field.no_pkce`, `field.tenant_issuers`, `field.unannounced_issuer`, `field.endless_tokens`: choice: `on`; sent
  ///   as `1`
  /// - `field.kind`: choice: `oauthUser`, `oidc`, `iap`, `token`, `pregeneratedToken`, `oauthApplication`, `apiKey`,
  ///   `password`, `kerberos`, `certificate`
  /// - `field.name`, `field.id`, `field.portal_url`, `field.web_address`, `field.kerberos_realm`, `field.issuer`,
  ///   `field.client_id`, `field.client_secret`, `field.match_url`: text fields; `match`: none, or `covers` (flag), `text`
  /// - `field.resources`, `field.admitted`, `field.networks`, `field.config`, `field.tenants`,
  ///   `field.key_distribution_centres`, `field.authorization_parameters`: text fields of several lines
  /// - `field.tenant`, `field.authorize_url`, `field.token_url`, `field.logout_url`: text fields: likewise
  /// - `field.prompt`: choice: `none`, `login`, `consent`, `select_account`; sent empty for none of them
  /// - `field.scopes`: text field, with spaces between
  /// - `field.admission`: choice: `invited`, `listed`, `anyone`
  /// - `field.token`, `field.expires`, `field.referer`: text fields: an API key, its end and what it is bound to
  /// - `field.service`: choices by the names of `LocationService`
  /// - `field.refresh_token_lifetime`, `field.federated_minutes`, `field.token_minutes` (minutes),
  ///   `field.exchange_interval` (hours), `field.kept_days` (days), `field.locale`: text fields
  /// - `field.page_style`: choice: `light`, `dark`; sent empty for neither
  /// - `field.every_host`, `field.allow_http`, `field.force_login`: choice: `on`; sent as `1`
  case adminConnectionNew = "admin-connection-new"

  /// `/admin/connections/ID`; posts to `…/disable`, `…/enable`, `…/delete` (with `confirm`, which must equal the id),
  /// `…/invite` and `…/invitations/ID/withdraw`; asks about a URL by `?match_url=`.
  ///
  /// - `field.match_url`, `match` with `covers`, `text`: as in ``adminConnectionNew``
  /// - `created`: flag: it was just added
  /// - `withdrawn_name`: text or none: whose invitation was just withdrawn
  /// - `overlapping`: list of `id`, `name`: other connections that cover the same
  /// - `invitations`: list of `id`, `connection_id`, `title` (text), `invitee` (text or none), `made`, `ends` (time)
  /// - `invitation_days`: text: for how long one is good; `field.invitee_name`, `field.invitee_username`: text fields
  /// - `id`, `name`, `server_url`, `callback_url`, `client_id`: text
  /// - `by_form`, `in_browser`, `of_service`: flags, one of which is set: people connect it by a form, or at the
  ///   upstream's own page; or it is the service's own; `lets_in`: flag: people may sign in; `registered`: it has a client id
  /// - `silence`: none, or of a service that does not answer: `since`, `again` (time): when it is asked again
  /// - `has_key`, `next_key`: flag; `keys`: list of `name`, `ends`, `next` (flag: it waits); `key_item`, `key_dropped`: text or
  ///   none; `field.token`, `field.expires`, `field.referer`, `field.key_client_id`, `field.key_client_secret`: text fields
  /// - `connect_url`: text: where people connect it; `issuing`: flag: `server_url` is an issuer
  /// - `proxy`: none, or of an application proxy: `authorize_url`, `token_url`, `logout_url`, `signed_out_url` (text),
  ///   `prompt` (text or none), `tenants` (list of text)
  /// - `kind`, `state`, `admission`: choices of ``KindName``, ``BadgeState``, ``AdmissionName``; `has_secret`, `disabled`: flag
  /// - `kept_days`: text or none; `resources`, `admitted`, `scopes`, `networks`: list of text; `allows_http`: flag; `added`: time
  /// - `scheme`, `realm`: text or none: how the server asks for a password, and what for; `centres`: list of text
  /// - `option.refresh_token_lifetime`, `option.exchange_interval`, `option.federated_minutes`, `option.locale`,
  ///   `option.page_style`, `option.token_minutes`: text or none; `option.force_login`: flag
  /// - `endpoints`: list of `label`, `value` (text): those that were typed; `differences`: list of text: the quirks
  /// - `count.healthy`, `count.expiring`, `count.broken`: text
  /// - `waiting`: none, or what the service has not confirmed yet: `count` (text: “2 sign-ins”), `until` (time)
  /// - `clients`: list of `id`, `name` (text), `raw_token` (flag); `field.confirm`: text field
  /// - `trusted`: list of `server`, `key` (text), `until` (time), `problem` (text or none); `own_server`: text
  case adminConnection = "admin-connection"

  /// `/admin/connections/ID/trust`; posts `server`, `public_key`, `until` to the same path.
  ///
  /// - `id`, `name`, `host`, `kind`: the connection; `server`, `public_key`: text; `field.until`: text field
  /// - `trusted`, `approved`, `approvable`: flag; `problem`: text or none; `chain`: list of certificates
  case adminTrust = "admin-trust"

  /// `/admin/connections/ID/invitation`: shows the link of a new invitation, once.
  ///
  /// - `id`, `name`: text: the connection
  /// - `link`: text, or none when it was shown before
  /// - `days`: text: for how long it is good
  case adminInvitation = "admin-invitation"

  /// `/admin/clients`; the next page is `?after=CURSOR`.
  ///
  /// - `deleted_name`: text or none: what was just deleted
  /// - `clients`: list of `id`, `name`, `connections` (text: how many), `confidential` (flag), `state` (choice),
  ///   `last_use` (time or none)
  /// - `pager`: none, or `shown` (text: “1 to 50 of 120”), `first` (link, none on the first page), `next` (link or none)
  case adminClients = "admin-clients"

  /// `/admin/clients/new`; posts the fields by their names, and `connection` and `raw_token` once per ticked id.
  ///
  /// - `field.name`: text field
  /// - `field.type`: choice: `confidential`, `public`
  /// - `field.redirect_uris`: text field, one URI on each line
  /// - `field.grant`: choices: `authorization_code`, `refresh_token`, `client_credentials`, `token_exchange`
  /// - `field.scope`: choices: `vend`
  /// - `connections`: list of `id`, `name`, `host` (text), `kind` (choice), `allowed`, `raw_token` (flag: ticked)
  /// - `field.connection`: choices; only its error is shown
  case adminClientNew = "admin-client-new"

  /// `/admin/clients/ID/secret`, after registering a client or making a new secret: the only page that shows one, once.
  ///
  /// - `registered`, `rotated`: flag: what was just done; neither when the page is opened again
  /// - `confidential`: flag
  /// - `old_secret_ends`: time or none: until when the one before works
  /// - `id`, `name`: text: the client's
  /// - `client_secret`: text, or none for a public client and when it was shown before
  /// - `metadata_url`: text: `/.well-known/oauth-authorization-server` with the external URL
  /// - `acts_alone`: flag: it has the grant client_credentials
  /// - `vends`: flag: people can let it vend
  /// - `token_url`, `vend_url`, `example_resource`: text: whole URLs for the examples
  case adminClientCreated = "admin-client-created"

  /// `/admin/clients/ID/rotate`: says what a new secret does to the present ones; posts `present` to the same path.
  ///
  /// - `id`, `name`: text
  /// - `stale`: flag: another secret was made since the form was opened
  /// - `present`: text: names the present secret
  /// - `present_made`: time
  /// - `overlap_hours`: text: how long the present secret goes on working
  /// - `ending`: time or none: until when an older secret would have worked, which now ends at once
  case adminClientRotate = "admin-client-rotate"

  /// `/admin/clients/ID`; links to `…/rotate`, posts to `…/disable`, `…/enable`, `…/delete` (with `confirm`, which must
  /// equal the id).
  ///
  /// - `id`, `name`: text
  /// - `signs_in`: flag: people can sign in to it
  /// - `state`: choice of ``BadgeState``
  /// - `confidential`, `disabled`: flag
  /// - `grants`, `scopes`, `redirect_uris`: list of text
  /// - `registered`, `last_use`: time; the last or none
  /// - `secrets`: list of `slot` (text: `1`, `2`), `state` (choice), `made` (time), `ends` (time or none)
  /// - `connections`: list of `id`, `name` (text), `kind` (choice), `raw_token` (flag)
  /// - `field.confirm`: text field
  case adminClient = "admin-client"

  /// `/admin/accounts`; posts to `/admin/accounts/ID/disable` and `…/enable`.
  ///
  /// - `disabled_name`, `enabled_name`: text or none: who was just disabled or enabled
  /// - `accounts`: list of `id`, `name`, `username`, `sessions` (text), `connection` (text, or none for a local
  ///   password), `administrator`, `disabled`, `is_self` (flag), `last_sign_in` (time or none)
  /// - `pager`: as in ``adminClients``: `shown`, `first`, `next`
  case adminAccounts = "admin-accounts"

  /// `/admin/accounts/ID/signout` before; posts `keep` (`1` or absent) to the same path.
  ///
  /// - `id`, `name`: text: the account
  /// - `sessions`: text: how many are open
  /// - `services`: list of `name`, `host`, `plan`, `endless` as in ``signOut``
  case adminAccountSignOut = "admin-account-sign-out"

  /// `/admin/accounts/ID/signout` after.
  ///
  /// - `id`, `name`: text: the account
  /// - `sessions`: text: how many have ended
  /// - `all_done`: flag: nothing is retried
  /// - `services`: list of `name`, `host`, `result`, `ends`, `federated_ends`, `endless`, `proxy_name` as in
  ///   ``signOutReport``
  case adminAccountSignedOut = "admin-account-signed-out"

  /// `/admin/audit`, newest first; the fields stand in its query.
  ///
  /// - `field.kind`: choice: `sign_ins`, `people`, `permissions`, `tokens`, `vends`, `services`, `configuration`,
  ///   `system`; sent empty for all
  /// - `field.account`, `field.client`, `field.connection`, `field.from`, `field.until`: text fields
  /// - `field.refused`: choice: `on`; sent as `1`
  /// - `filtered`: flag: a field is set
  /// - `events`: list of `time` (time, to the second), `by` (text: who did it), `by_account`, `by_client` (text or none:
  ///   the id of who did it), `by_administrator` (flag), `address` (text or none: where the request came from), `words`
  ///   (text: what happened), `event` (text: its lasting name), `detail`, `account`, `account_id`, `client`,
  ///   `client_id`, `connection`, `connection_id`, `reference` (text or none), `refused` (flag); account and client only
  ///   when not who did it, a `connection` only while its id means the same one
  /// - `pager`: as in ``adminClients``: `shown`, `first`, `next`
  case adminAudit = "admin-audit"
}
