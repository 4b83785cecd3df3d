extension PageName {
  /// The pages below `/admin`.
  static let administration: [PageName] = [
    .adminOverview, .adminConnections, .adminConnectionNew, .adminConnection, .adminConnectionEdit, .adminTrust,
    .adminInvitation,
    .adminClients, .adminRegistration, .adminClientNew, .adminClientEdit, .adminClientCreated, .adminClientRotate,
    .adminClient, .adminClientKeys, .adminClientKeyEdit,
    .adminAccounts, .adminPasswordLink, .adminWebhooks,
    .adminAccountSignOut, .adminAccountSignedOut, .adminAccountFactors, .adminAppPasswords, .adminAudit, .adminLedger,
    .adminWhy,
    .adminUsage,
  ]

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
  public static let adminOverview = PageName("admin-overview")

  /// `/admin/connections`.
  ///
  /// - `deleted_name`: text or none; `connections`: list of `id`, `name`, `host`, `credentials` (text: how many), `kind`,
  ///   `state` (choices)
  public static let adminConnections = PageName("admin-connections")

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
  /// - `field.no_pkce`, `field.tenant_issuers`, `field.unannounced_issuer`, `field.no_logout_expiry`, `field.endless_tokens`: choice: `on`; sent
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
  public static let adminConnectionNew = PageName("admin-connection-new")

  /// `/admin/connections/ID`; posts to `…/disable`, `…/enable`, `…/delete` (with `confirm`, which must equal the id),
  /// `…/invite` and `…/invitations/ID/withdraw`; asks about a URL by `?match_url=`.
  ///
  /// - `field.match_url`, `match` with `covers`, `text`: as in ``adminConnectionNew``
  /// - `created`, `changed`: flag: it was just added, or changed
  /// - `withdrawn_name`: text or none: whose invitation was just withdrawn
  /// - `overlapping`: list of `id`, `name`: other connections that cover the same
  /// - `invitations`: list of `id`, `connection_id`, `title` (text), `invitee` (text or none), `made`, `ends` (time)
  /// - `invitation_days`: text: for how long one is good; `field.invitee_name`, `field.invitee_username`: text fields
  /// - `id`, `name`, `server_url`, `callback_url`, `client_id`: text
  /// - `arcgis_url`: text or none: what ArcGIS apps name as their portal
  /// - `by_form`, `in_browser`, `of_service`: flags, one of which is set: people connect it by a form, or at the
  ///   upstream's own page; or it is the service's own; `lets_in`: flag: people may sign in; `registered`: it has a client id
  /// - `silence`: none, or of a service that does not answer: `since`, `again` (time): when it is asked again
  /// - `has_key`, `next_key`: flag; `keys`: list of `name`, `ends`, `next` (flag: it waits); `key_item`, `key_dropped`: text or
  ///   none; `field.token`, `field.expires`, `field.referer`, `field.key_client_id`, `field.key_client_secret`: text fields
  /// - `backchannel_logout_url`: text, or none where the upstream sends no logout tokens
  /// - `connect_url`: text: where people connect it; `issuing`: flag: `server_url` is an issuer
  /// - `proxy`: none, or of an application proxy: `authorize_url`, `token_url`, `logout_url`, `signed_out_url` (text),
  ///   `prompt` (text or none), `tenants` (list of text)
  /// - `kind`, `state`, `admission`: choices of ``KindName``, ``BadgeState``, ``AdmissionName``; `has_secret`, `disabled`: flag
  /// - `kept_days`: text or none; `field.kept_days` (posted to `…/keeping`): text field; `resources`, `admitted`, `scopes`, `networks`: list of text; `allows_http`: flag; `added`: time
  /// - `scheme`, `realm`: text or none: how the server asks for a password, and what for; `centres`: list of text
  /// - `option.refresh_token_lifetime`, `option.exchange_interval`, `option.federated_minutes`, `option.locale`,
  ///   `option.page_style`, `option.token_minutes`: text or none; `option.force_login`: flag
  /// - `endpoints`: list of `label`, `value` (text): those that were typed; `differences`: list of text: the quirks
  /// - `count.healthy`, `count.expiring`, `count.broken`: text
  /// - `waiting`: none, or what the service has not confirmed yet: `count` (text: “2 sign-ins”), `until` (time)
  /// - `clients`: list of `id`, `name` (text), `raw_token` (flag); `field.confirm`: text field
  /// - `leaves_out_portal`: flag: its resources do not cover the portal itself
  /// - `app_passwords`: none, or where people sign in to an ArcGIS portal: `people_url` (text), `candidates` (list of `client`,
  ///   `name` (text), `chosen` (flag)); `field.app_client` (posted to `…/app-passwords`): text field
  /// - `trusted`: list of `server`, `key` (text), `until` (time), `problem` (text or none); `own_server`: text; `has_tls`: flag
  public static let adminConnection = PageName("admin-connection")

  /// `/admin/connections/ID/edit`; posts the fields of ``adminConnectionNew`` that it shows to the same path.
  ///
  /// - `id`, `shown_name`: text; `has_secret`: flag
  /// - `in_browser`, `has_scopes`: flag: people sign in at the service's own page; it is asked for scopes
  /// - `at_portal`, `by_oauth`, `by_token`: flag: it is of ArcGIS; people sign in at the portal; its tokens have a lifetime
  /// - as in ``adminConnectionNew``: `field.name`, `field.client_secret`, `field.scopes`, `field.resources`,
  ///   `field.networks`, `field.allow_http`, `field.admission`, `field.admitted`, `field.refresh_token_lifetime`,
  ///   `field.exchange_interval`, `field.federated_minutes`, `field.token_minutes`, `field.locale`, `field.page_style`,
  ///   `field.force_login`
  public static let adminConnectionEdit = PageName("admin-connection-edit")

  /// `/admin/connections/ID/trust`; posts `server`, `public_key`, `until` to the same path.
  ///
  /// - `id`, `name`, `host`, `kind`: the connection; `server`, `public_key`: text; `field.until`: text field
  /// - `trusted`, `approved`, `approvable`: flag; `problem`: text or none; `chain`: list of certificates
  public static let adminTrust = PageName("admin-trust")

  /// `/admin/connections/ID/invitation`: shows the link of a new invitation, once.
  ///
  /// - `id`, `name`: text: the connection
  /// - `link`: text, or none when it was shown before
  /// - `days`: text: for how long it is good
  public static let adminInvitation = PageName("admin-invitation")

  /// `/admin/clients`; the next page is `?after=CURSOR`.
  ///
  /// - `deleted_name`: text or none: what was just deleted
  /// - `clients`: list of `id`, `name`, `connections` (text: how many), `confidential` (flag), `state` (choice),
  ///   `unchecked` (flag: it registered itself, and nobody checked it), `last_use` (time or none)
  /// - `pager`: none, or `shown` (text: “1 to 50 of 120”), `first` (link, none on the first page), `next` (link or none)
  public static let adminClients = PageName("admin-clients")

  /// `/admin/registration`; posts `token_name`, `token_uses`, `token_days` to the same path, and to `…/ID/revoke`.
  ///
  /// - `is_off`, `is_open`: flag: nobody, or anybody may register; `endpoint`: text: where apps register
  /// - `new_token`: text or none: what was just made, shown once
  /// - `tokens`: list of `id`, `name`, `used` (text: “1 of 3”), `made`, `ends` (time), `spent` (flag)
  /// - `field.token_name`, `field.token_uses`, `field.token_days`: text fields
  public static let adminRegistration = PageName("admin-registration")

  /// `/admin/webhooks`; posts `webhook_url` and each ticked `event` to the same path, and to `…/ID/test` and `…/ID/delete`.
  ///
  /// - `new_secret`: text or none: that of the webhook that was just made, shown once; `tested`: text or none: what came of a
  ///   test
  /// - `webhooks`: list of `id`, `url`, `events` (text), `made` (time), `messages`: the latest: list of `event`, `attempts`
  ///   (text), `answer` (text or none), `time` (time), `delivered`, `failed` (flag)
  /// - `events`: list of `value`, `meaning` (text), `checked` (flag); `field.webhook_url`: text field
  public static let adminWebhooks = PageName("admin-webhooks")

  /// `/admin/clients/ID/keys`; posts the fields to the same path, `connection` once per ticked id, and to `…/KEY/next` and
  /// `…/KEY/revoke`, the latter with `slot` for one secret alone.
  ///
  /// - `id`, `name`: text: the client; `keeps_secrets`: flag: it is confidential
  /// - `new_key`: text or none: the secret that was just made, shown once
  /// - `keys`: list of `id`, `client`, `name`, `publishable`, `ended` (flags), `services`, `resources`, `places`, `quotas`
  ///   (lists of texts), `methods`, `longest` (text or none), `calls`, `refusals` (text: of today), `can_follow` (flag: a
  ///   slot is free), `secrets`: list of `id`, `client`, `name` (text: the key's), `slot` (number), `works` (flag),
  ///   `state` (choice), `ends` (time), `last_use` (time or none)
  /// - `connections`: list of `id`, `name`, `kind`, `allowed` (flag: ticked); none when the client may use none
  /// - `field.name`, `field.resource`, `field.longest_answer`, `field.referrer`, `field.network`, `field.per_minute`,
  ///   `field.per_day`, `field.days`: text fields; `field.connection`
  /// - `field.kind`: choice: `secret`, `publishable`; `field.method`: choice: `reading`
  public static let adminClientKeys = PageName("admin-client-keys")

  /// `/admin/clients/ID/keys/KEY/edit`; posts the fields to the same path, `connection` once per ticked id.
  ///
  /// - `id`, `name`: text: the client; `key`, `key_name`: text: the key as it stands; `publishable`: flag
  /// - `connections`: as in ``adminClientKeys``: `id`, `name`, `kind`, `allowed`
  /// - `field.name`, `field.method` (with commas between), `field.resource`, `field.longest_answer`, `field.referrer`,
  ///   `field.network`, `field.per_minute`, `field.per_day`: text fields; `field.connection`
  public static let adminClientKeyEdit = PageName("admin-client-key-edit")

  /// `/admin/clients/new`; posts the fields by their names, and `connection` and `raw_token` once per ticked id.
  ///
  /// - `field.name`: text field
  /// - `field.type`: choice: `confidential`, `public`
  /// - `field.redirect_uris`: text field, one URI on each line
  /// - `field.grant`: choices: `authorization_code`, `refresh_token`, `device_code`, `client_credentials`,
  ///   `token_exchange`
  /// - `field.scope`: choices: `vend`, `vend_unattended`, `arcgis`, `openid`, `profile`, `offline_access`
  /// - `connections`: list of `id`, `name`, `host` (text), `kind` (choice), `allowed`, `raw_token`, `unattended` (flag:
  ///   ticked), `personal` (flag: people connect it)
  /// - `field.connection`: choices; only its error is shown
  /// - `options_open`: flag: one of the following is set or wrong
  /// - `field.profile`: choice: `oauth21`, `oidc-basic`, `fapi2`
  /// - `field.authentication`: choice: the methods of RFC 7591 §2, and `client_secret` for either place of a secret
  /// - `field.keys`, `field.jwks_uri`, `field.certificate_subject`, `field.post_logout_redirect_uris` (one on each line),
  ///   `field.backchannel_logout_uri`, `field.unattended_keys`, `field.unattended_networks` (one on each line): text fields
  /// - `field.certificate_field`: choice: the names of RFC 8705 §2.1.2
  /// - `field.id_token_algorithm`: choice: `RS256`, `PS256`, `ES256`, `EdDSA`; sent empty for the profile's own
  /// - `field.signed_userinfo`, `field.dpop`, `field.dpop_nonce`, `field.certificate_bound`, `field.pushed_requests`, `field.endpoint_audience`,
  ///   `field.backchannel_session`: choice: `on`; sent as `1`
  public static let adminClientNew = PageName("admin-client-new")

  /// `/admin/clients/ID/edit`; posts the fields of ``adminClientNew`` but `type` to the same path.
  ///
  /// - `id`, `registered_name`: text; `is_public`: flag; `unchecked`: flag: it registered itself, and nobody checked it
  /// - as in ``adminClientNew``: `connections` with `id`, `name`, `host`, `kind`, `allowed`, `raw_token`, `unattended`,
  ///   `personal`, `options_open`, `field.unattended_keys`, `field.unattended_networks`,
  ///   `field.name`, `field.redirect_uris`, `field.grant`, `field.scope`, `field.connection`, `field.profile`,
  ///   `field.authentication`, `field.keys`, `field.jwks_uri`, `field.certificate_field`, `field.certificate_subject`,
  ///   `field.id_token_algorithm`, `field.signed_userinfo`, `field.dpop`, `field.dpop_nonce`, `field.certificate_bound`, `field.pushed_requests`,
  ///   `field.endpoint_audience`, `field.post_logout_redirect_uris`, `field.backchannel_logout_uri`,
  ///   `field.backchannel_session`
  public static let adminClientEdit = PageName("admin-client-edit")

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
  public static let adminClientCreated = PageName("admin-client-created")

  /// `/admin/clients/ID/rotate`: says what a new secret does to the present ones; posts `present` to the same path.
  ///
  /// - `id`, `name`: text
  /// - `stale`: flag: another secret was made since the form was opened
  /// - `present`: text: names the present secret
  /// - `present_made`: time
  /// - `overlap_hours`: text: how long the present secret goes on working
  /// - `ending`: time or none: until when an older secret would have worked, which now ends at once
  public static let adminClientRotate = PageName("admin-client-rotate")

  /// `/admin/clients/ID`; links to `…/edit` and `…/rotate`, posts to `…/trust`, `…/disable`, `…/enable`, `…/delete` (with
  /// `confirm`, which must equal the id).
  ///
  /// - `id`, `name`: text
  /// - `signs_in`: flag: people can sign in to it; `runs_jobs`: flag: it may use a connection unattended
  /// - `state`: choice of ``BadgeState``
  /// - `confidential`, `disabled`: flag; `has_secret`: flag: it proves who it is with a secret
  /// - `grants`, `scopes`, `redirect_uris`: list of text; `settings`: list of `name`, `value` (text)
  /// - `registered`, `last_use`: time; the last or none
  /// - `secrets`: list of `slot` (text: `1`, `2`), `state` (choice), `made` (time), `ends` (time or none)
  /// - `connections`: list of `id`, `name` (text), `kind` (choice), `raw_token`, `unattended` (flag)
  /// - `changed`: flag: it was just changed
  /// - `shown`: text: a mark of what the page shows, to be sent back
  /// - `registration`: none, or of a client that registered itself: `unchecked` (flag), `token` (text or none: what the
  ///   token is called that it came with), `checked` (time or none), `about` (list of `label`, `host` (text), `url`
  ///   (link)), `contacts` (list of text), `software` (text or none)
  /// - `own_pages`: flag: people see pages for it, so that these may look like it (`…/look`, with `accent`, `logo`,
  ///   `logo_off`); `logo_now`: link or none
  /// - `field.confirm`, `field.accent`, `field.logo`: text fields
  public static let adminClient = PageName("admin-client")

  /// `/admin/accounts`; posts to `/admin/accounts/ID/disable`, `…/enable` and `…/password`, and `username` and
  /// `display_name` to `/admin/accounts`.
  ///
  /// - `field.username`, `field.display_name`, `field.email`: text fields
  /// - `disabled_name`, `enabled_name`: text or none: who was just disabled or enabled
  /// - `accounts`: list of `id`, `name`, `username`, `sessions` (text), `connection` (text, or none for a local
  ///   password), `administrator`, `disabled`, `is_self` (flag), `last_sign_in` (time or none)
  /// - `pager`: as in ``adminClients``: `shown`, `first`, `next`
  public static let adminAccounts = PageName("admin-accounts")

  /// `/admin/accounts/ID/password`: shows the link by which a person sets their password, once.
  ///
  /// - `id`, `name`, `username`: text: the account
  /// - `link`: text, or none when it was shown before; `hours`: text: for how long it is good
  public static let adminPasswordLink = PageName("admin-password-link")

  /// `/admin/accounts/ID/signout` before; posts `keep` (`1` or absent) to the same path.
  ///
  /// - `id`, `name`: text: the account
  /// - `sessions`: text: how many are open
  /// - `services`: list of `name`, `host`, `plan`, `endless` as in ``signOut``
  public static let adminAccountSignOut = PageName("admin-account-sign-out")

  /// `/admin/accounts/ID/signout` after.
  ///
  /// - `id`, `name`: text: the account
  /// - `sessions`: text: how many have ended
  /// - `all_done`: flag: nothing is retried
  /// - `services`: list of `name`, `host`, `result`, `ends`, `federated_ends`, `endless`, `proxy_name` as in
  ///   ``signOutReport``
  public static let adminAccountSignedOut = PageName("admin-account-signed-out")

  /// `/admin/accounts/ID/factors`: asks before the second factors of somebody are removed; posts to the same path.
  ///
  /// - `id`, `name`: text; `on`: flag: there are some; `removed`: flag: that was just done
  /// - `app_since`: time or none: an authenticator app shows codes; `passkeys`, `recovery_codes`: text: how many there are
  public static let adminAccountFactors = PageName("admin-account-factors")

  /// `/admin/accounts/ID/app-passwords` and `/admin/connections/ID/app-passwords`.
  ///
  /// - `person`, `place`: none, or the one whose they are: `id`, `name` (text); `ended`: flag: that was just done to one
  /// - `app_passwords`: list of `id`, `owner`, `app`, `client_id`, `service` (text), `taken` (flag), `made` (time),
  ///   `last_use` (time or none); a form ends one by `…/app-passwords/ID/end`
  /// - `pager`: as in ``adminClients``: `shown`, `first`, `next`
  public static let adminAppPasswords = PageName("admin-app-passwords")

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
  public static let adminAudit = PageName("admin-audit")

  /// `/admin/ledger`, newest first; the fields stand in its query.
  ///
  /// - `field.account`, `field.client`, `field.connection`, `field.from`, `field.until`: text fields
  /// - `field.outcome`: choice: `granted`, `refused`; sent empty for both; `filtered`: flag: a field is set
  /// - `uses`: list of `time` (time, to the second), `client`, `resource` (text), `client_id`, `account`, `account_id`,
  ///   `connection`, `connection_id`, `detail` (text or none), `refused` (flag), `why` (link or none: ``adminWhy``)
  /// - `further`: flag: only a part of the log was looked at; the next page goes on
  /// - `pager`: as in ``adminClients``: `shown` (text: “1 to 50”), `first`, `next`
  public static let adminLedger = PageName("admin-ledger")

  /// `/admin/why`; the fields stand in its query.
  ///
  /// - `field.client`, `field.account`, `field.url`, `field.min_ttl`, `field.unattended_from`: text fields; `field.key` in
  ///   place of the client, with `field.method`, `field.from`, `field.referrer`
  /// - `steps`: list of `question`, `finding` (text), `passed`, `noted`, `refused` (flags, one of which is set),
  ///   `decides` (flag: the last one); empty before anything is asked
  /// - `granted`: flag; of a refusal `code`, `verdict` (text), `reason` (text or none)
  public static let adminWhy = PageName("admin-why")

  /// `/admin/usage`; the fields stand in its query.
  ///
  /// - `dimensions`, `ranges`: list of `value`, `label` (text), `chosen` (flag): the options of `by` and `days`
  /// - `field.by`, `field.days`: text fields, of which only the error is shown; `field.client`, `field.key`,
  ///   `field.connection`, `field.account`, `field.resource`: text fields; `narrowed`: flag: one of these is set
  /// - `report`: none when a field is wrong, or
  ///   - `by`, `days`, `calls`, `refusals`: text: what is told apart, how many days, and the sums; `csv`, `json`: link
  ///   - `legend`: list of `tone` (text: `tone1` to `tone5`, `rest`), `name`, `mark` (text: what stands for it: `1`)
  ///   - `charts`: list of `id`, `title`, `summary`, `width`, `height`, `middle` (text), `scale`, `dates`
  ///     (lists of text), `columns` (list of `mark`, `name`), `bars` (list of `words`, `parts`: list of `tone`, `x`, `y`, `bar_width`, `bar_height`), `rows`
  ///     (list of `label`, `total`, `cells`: list of `column`, `figure`)
  ///   - `entries`: list of `name` (text), `subject` (text or none: its id), `link` (link or none), `calls`, `refusals`,
  ///     `calls_width`, `refusals_width` (text: of a hundred)
  public static let adminUsage = PageName("admin-usage")
}
