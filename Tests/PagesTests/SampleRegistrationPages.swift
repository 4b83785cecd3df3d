@testable import Pages

extension SamplePage {
  private static let connectionFields = [
    "name": "Norrvik Maps", "id": "Norrvik Maps", "portal_url": "", "web_address": "", "kerberos_realm": "",
    "key_distribution_centres": "", "issuer": "",
    "client_id": "gatehouse",
    "client_secret": "", "resources": "https://maps.norrvik.example/server/\nhttps://maps.norrvik.example/portal/",
    "admitted": "", "refresh_token_lifetime": "", "exchange_interval": "", "federated_minutes": "soon", "locale": "",
    "networks": "10.20.0.1/16", "kept_days": "0", "match_url": "https://x.example", "scopes": "", "token_minutes": "",
    "authorization_endpoint": "",
    "token_endpoint": "",
    "user_endpoint": "", "revocation_endpoint": "", "subject_member": "", "name_member": "",
    "authorization_parameters": "access_type=offline\nprompt=consent", "login_prompt": "",
    "token": "", "expires": "", "referer": "",
    "config": "", "tenant": "", "authorize_url": "", "token_url": "", "logout_url": "", "tenants": "",
  ]
  private static let connectionChoices = [
    "kind": [
      "oauthUser", "oidc", "iap", "token", "pregeneratedToken", "oauthApplication", "apiKey", "password", "kerberos",
      "certificate",
    ],
    "admission": ["invited", "listed", "anyone"],
    "page_style": ["light", "dark"],
    "service": [
      "basemaps", "static-basemaps", "basemap-export", "geocoding", "routing", "places", "elevation", "geoenrichment",
    ],
    "force_login": ["on"], "allow_http": ["on"], "every_host": ["on"], "found_by": ["discovery", "endpoints"],
    "client_authentication": ["basic", "post"],
    "revocation_way": ["eachToken", "oneToken", "refreshToken", "deletion"], "no_pkce": ["on"],
    "tenant_issuers": ["on"], "unannounced_issuer": ["on"], "no_logout_expiry": ["on"], "endless_tokens": ["on"],
    "trust": ["on"],
    "prompt": ["none", "login", "consent", "select_account"],
  ]
  private static let connectionAddresses: PageContext.Object = [
    "callback_prefix": "https://norrvik.example/gate/callback/",
    "signed_out_url": "https://norrvik.example/gate/signed-out",
  ]

  static let connectionPages: [SamplePage] = [
    SamplePage(
      .adminConnectionNew, "full",
      form(connectionFields.mapValues { _ in "" }, choices: connectionChoices)
        .merging(connectionAddresses).merging([
          "match": ["covers": true, "text": .text(hostile)],
          "untrusted": [
            "server": "maps.norrvik.example:443", "problem": "No authority known here has signed its certificate.",
            "public_key": "0F:0F", "chain": .list([certificate, certificate]),
          ],
          "templates": items(["id": "keycloak", "name": "Keycloak", "chosen": true]),
          "template": [
            "id": "keycloak", "name": .text(hostile), "registration": "Make a client.",
            "documentation": .url("https://www.keycloak.org/"),
            "placeholders": items(
              ["label": "Host", "field": "set_host", "meaning": .text(hostile), "value": .text(hostile)]),
          ],
        ])),
    SamplePage(
      .adminConnectionNew, "errors",
      form(
        connectionFields, choices: connectionChoices,
        errors: [
          ("id", "An id has lower-case letters, digits and - only. Try norrvik-maps."),
          ("portal_url", "Enter the portal’s URL; it begins with https://."),
          ("kind", "Choose ArcGIS or OpenID Connect."), ("admission", "Choose who may get an account."),
          ("resources", "Line 2 is no URL prefix: it needs a slash at the end."),
          ("federated_minutes", "Enter a whole number of minutes."), ("page_style", "Choose one of the three."),
          ("kept_days", "Enter 1 to 3650 days."), ("networks", "10.20.0.1/16 is no network such as 10.20.0.0/16."),
        ]
      ).merging(connectionAddresses).merging([
        "templates": [], "template": .none, "match": .none, "untrusted": .none,
      ])),
    SamplePage(
      .adminConnections, "full",
      [
        "deleted_name": "Old portal",
        "connections": items(
          maps.merging(["state": .choice(BadgeState.healthy), "credentials": "290"]),
          work.merging(["state": .choice(BadgeState.unconnected), "credentials": "0"])),
      ]),
    SamplePage(
      .adminTrust, "full",
      maps.merging(form(["until": "soon"], errors: [("until", "Enter a day."), ("", "It shows another key now.")]))
        .merging([
          "server": "maps.norrvik.example:443", "trusted": false, "approved": false, "approvable": true,
          "problem": .text(hostile), "public_key": "0F:0F", "chain": .list([certificate]),
        ])),
    SamplePage(
      .adminTrust, "trusted",
      bare.merging(maps).merging(form(["until": ""])).merging([
        "server": .text(hostile), "trusted": true, "approved": true, "approvable": false, "problem": .none,
        "public_key": "0F:0F", "chain": [],
      ])),
    SamplePage(.adminConnections, "bare", bare.merging(["deleted_name": .none, "connections": []])),
    SamplePage(
      .adminConnection, "full",
      maps.merging(
        form([
          "confirm": "", "invitee_name": "", "invitee_username": "", "match_url": "", "token": "", "expires": "",
          "referer": "", "key_client_id": "", "key_client_secret": "", "kept_days": "90", "app_client": "",
        ])
      ).merging([
        "leaves_out_portal": true, "changed": true,
        "app_passwords": [
          "people_url": "https://norrvik.example/gate/account/apps",
          "candidates": items(
            ["client": "client_1", "name": .text(hostile), "chosen": true],
            ["client": "client_2", "name": "Field Crew", "chosen": false]),
        ],
        "match": ["covers": false, "text": .text(hostile)], "withdrawn_name": "Bo Ek", "invitation_days": "7",
        "scopes": ["openid", "reports:read"],
        "networks": ["10.20.0.0/16"], "allows_http": true, "scheme": "HTTP Digest", "realm": .text(hostile),
        "centres": [.text(hostile)],
        "overlapping": items(["id": "old", "name": .text(hostile)]), "own_server": "maps.norrvik.example:443",
        "has_tls": true,
        "trusted": items(
          [
            "server": "maps.norrvik.example:443",
            "key": .text(Array(repeating: "0F", count: 32).joined(separator: ":")),
            "until": noon, "problem": .text(hostile),
          ],
          ["server": "gis.norrvik.example:8443", "key": .text(hostile), "until": noon, "problem": .none]),
        "endpoints": items(["label": "Token endpoint", "value": .text(hostile)]), "differences": [.text(hostile)],
        "invitations": items(
          [
            "id": "inv_1", "connection_id": "norrvik-maps", "title": .text(hostile), "invitee": "bo.ek", "made": noon,
            "ends": noon,
          ],
          [
            "id": "inv_2", "connection_id": "norrvik-maps", "title": "Whoever has the link", "invitee": .none,
            "made": noon, "ends": noon,
          ]),
        "by_form": false, "in_browser": true, "of_service": false, "registered": true,
        "silence": ["since": noon, "again": noon], "has_key": true,
        "keys": items(
          ["name": "Slot 1", "ends": noon, "next": false], ["name": "Slot 2", "ends": noon, "next": true]),
        "next_key": true, "key_item": .text(hostile), "key_dropped": .text(hostile),
        "issuing": false, "lets_in": true,
        "backchannel_logout_url": "https://norrvik.example/gate/backchannel-logout/norrvik-maps",
        "proxy": [
          "authorize_url": "https://login.norrvik.example/contoso/oauth2/v2.0/authorize",
          "token_url": "https://login.norrvik.example/contoso/oauth2/v2.0/token",
          "logout_url": "https://login.norrvik.example/contoso/oauth2/v2.0/logout",
          "signed_out_url": "https://norrvik.example/gate/signed-out", "prompt": "login", "tenants": ["a", "b"],
        ],
        "connect_url": "https://norrvik.example/gate/connect/norrvik-maps",
        "created": true, "state": .choice(BadgeState.expiring), "disabled": false, "has_secret": true,
        "kept_days": "90 days",
        "server_url": "https://maps.norrvik.example/portal", "client_id": "gatehouse",
        "callback_url": "https://norrvik.example/gate/callback/norrvik-maps",
        "arcgis_url": "https://norrvik.example/gate/norrvik-maps",
        "admission": .choice(AdmissionName.listed), "admitted": ["norrvik.example", "harbour.example"],
        "resources": ["https://maps.norrvik.example/server/", "https://maps.norrvik.example/portal/"],
        "option": [
          "refresh_token_lifetime": "20160 minutes", "exchange_interval": "24 hours", "federated_minutes": "1 minute",
          "locale": "sv", "token_minutes": .none,
          "page_style": "dark", "force_login": true,
        ],
        "added": noon, "count": ["healthy": "286", "expiring": "3", "broken": "1"],
        "waiting": ["count": "1 sign-in", "until": noon],
        "clients": items(
          ["id": "c_7k2m9q4t", "name": "Asset sync", "raw_token": true],
          ["id": "c_b3x8n1wd", "name": "Field Crew", "raw_token": false]),
      ])),
    SamplePage(
      .adminConnection, "errors",
      bare.merging(work).merging(
        form(
          [
            "confirm": "wrok", "invitee_name": "", "invitee_username": "", "match_url": "", "token": "", "expires": "",
            "referer": "", "key_client_id": "", "key_client_secret": "", "kept_days": "", "app_client": "",
          ],
          errors: [("confirm", "This is not the id. Type work to delete it.")])
      ).merging([
        "leaves_out_portal": false, "changed": false, "app_passwords": .none,
        "match": .none, "withdrawn_name": .none, "invitation_days": "7", "invitations": [], "scopes": [],
        "networks": [], "centres": [],
        "allows_http": false, "scheme": .none, "realm": .none, "overlapping": [], "endpoints": [], "differences": [],
        "trusted": [], "own_server": "login.norrvik.example:443", "has_tls": false,
        "by_form": true, "in_browser": false, "of_service": false, "registered": false, "silence": .none,
        "has_key": false, "keys": [], "next_key": false, "key_item": .none,
        "key_dropped": .none,
        "backchannel_logout_url": .none,
        "issuing": true, "proxy": .none, "lets_in": false, "connect_url": "https://norrvik.example/connect/work",
        "created": false, "state": .choice(BadgeState.disabled), "disabled": true, "has_secret": false,
        "kept_days": .none,
        "server_url": "https://login.norrvik.example", "client_id": "gatehouse",
        "callback_url": "https://norrvik.example/gate/callback/work", "arcgis_url": .none,
        "admission": .choice(AdmissionName.invited),
        "admitted": [], "resources": [],
        "option": [
          "refresh_token_lifetime": .none, "exchange_interval": .none, "federated_minutes": .none, "locale": .none,
          "page_style": .none, "force_login": false, "token_minutes": .none,
        ],
        "added": noon, "count": ["healthy": "0", "expiring": "0", "broken": "0"], "clients": [],
        "waiting": .none,
      ])),
  ]

  private static let clientChoices = [
    "type": ["confidential", "public"],
    "grant": ["authorization_code", "refresh_token", "client_credentials", "device_code", "token_exchange"],
    "scope": ["vend", "vend_unattended", "arcgis", "openid", "profile", "offline_access"], "connection": [],
    "profile": ["oauth21", "oidc-basic", "fapi2"],
    "authentication": [
      "client_secret", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth",
      "self_signed_tls_client_auth",
    ],
    "certificate_field": [
      "tls_client_auth_subject_dn", "tls_client_auth_san_dns", "tls_client_auth_san_uri", "tls_client_auth_san_ip",
      "tls_client_auth_san_email",
    ],
    "id_token_algorithm": ["RS256", "PS256", "ES256", "EdDSA"],
    "signed_userinfo": ["on"], "dpop": ["on"], "dpop_nonce": ["on"], "certificate_bound": ["on"],
    "pushed_requests": ["on"],
    "endpoint_audience": ["on"], "backchannel_session": ["on"],
  ]
  private static let clientFields = [
    "name": "", "redirect_uris": "", "keys": "{\"keys\":[]}", "jwks_uri": "https://sync.example/keys",
    "certificate_subject": hostile, "post_logout_redirect_uris": "https://sync.example/out",
    "backchannel_logout_uri": "https://sync.example/told", "unattended_keys": "{\"keys\":[]}",
    "unattended_networks": "10.20.0.0/16",
  ]
  private static let clientOptionErrors = [
    ("profile", "A public client has the profile oauth21."), ("authentication", "Choose one of the methods."),
    ("keys", "This is no JWK set."), ("jwks_uri", "Paste the keys or give their URL, not both."),
    ("certificate_field", "Choose what the certificate names."),
    ("certificate_subject", "tls_client_auth needs one subject that the certificate has to name."),
    ("id_token_algorithm", "Choose one of the algorithms."),
    ("post_logout_redirect_uris", "Use https, or http on localhost."),
    ("backchannel_logout_uri", "The back-channel logout URI is https, without a fragment."),
    ("unattended_keys", "This is no JWK set."), ("unattended_networks", "all is no network such as 10.20.0.0/16."),
  ]

  private static func created(
    _ registered: Bool, _ rotated: Bool, _ secret: PageContext, ends: PageContext = .none
  ) -> PageContext.Object {
    [
      "registered": .flag(registered), "rotated": .flag(rotated), "confidential": true, "old_secret_ends": ends,
      "id": "c_7k2m9q4t", "name": "Asset sync", "client_secret": secret, "acts_alone": true, "vends": true,
      "metadata_url": "https://norrvik.example/gate/.well-known/oauth-authorization-server",
      "token_url": "https://norrvik.example/gate/oauth2/token", "vend_url": "https://norrvik.example/gate/v1/token",
      "example_resource": "https://maps.norrvik.example/server/rest/services",
    ]
  }

  static let clientPages: [SamplePage] = [
    SamplePage(
      .adminClients, "full",
      [
        "deleted_name": "Old viewer",
        "pager": ["shown": "1 to 2 of 23", "first": .none, "next": .url("/gate/admin/clients?after=c_2")],
        "clients": items(
          [
            "id": "c_7k2m9q4t", "name": "Asset sync", "confidential": true, "connections": "2",
            "state": .choice(BadgeState.active), "last_use": noon, "unchecked": false,
          ],
          [
            "id": "c_b3x8n1wd", "name": .text(hostile), "confidential": false, "connections": "0",
            "state": .choice(BadgeState.revoked), "last_use": .none, "unchecked": true,
          ]),
      ]),
    SamplePage(.adminClients, "bare", bare.merging(["deleted_name": .none, "pager": .none, "clients": []])),
    SamplePage(
      .adminRegistration, "full",
      form(["token_name": "", "token_uses": "1", "token_days": "7"]).merging([
        "is_off": true, "is_open": true, "endpoint": "https://norrvik.example/gate/oauth2/register",
        "new_token": "4Vq8s1Zt0mXy7Lr2Bn5KdWc9Ha3Pe6Uj4Vq8s1Zt0mX",
        "tokens": items(
          ["id": "reg_1", "name": .text(hostile), "used": "1 of 3", "made": noon, "ends": noon, "spent": false],
          ["id": "reg_2", "name": "Garden", "used": "1 of 1", "made": noon, "ends": noon, "spent": true]),
      ])),
    SamplePage(
      .adminRegistration, "errors",
      bare.merging(
        form(
          ["token_name": "", "token_uses": "many", "token_days": "0"],
          errors: [
            ("token_name", "Give the token a name."), ("token_uses", "Enter a whole number from 1 to 10000."),
            ("token_days", "Enter a whole number from 1 to 365."),
          ])
      ).merging([
        "is_off": false, "is_open": false, "endpoint": "https://norrvik.example/oauth2/register", "new_token": .none,
        "tokens": [],
      ])),
    SamplePage(
      .adminClientNew, "full",
      form(clientFields, choices: clientChoices).merging([
        "options_open": true,
        "connections": items(
          maps.merging(["allowed": true, "raw_token": false, "unattended": false, "personal": true]),
          archive.merging(["allowed": false, "raw_token": true, "unattended": false, "personal": false])),
      ])),
    SamplePage(
      .adminClientNew, "errors",
      form(
        clientFields.merging(["name": "Asset sync", "redirect_uris": "http://sync.example/back"]) { $1 },
        choices: clientChoices,
        errors: clientOptionErrors + [
          ("redirect_uris", "Line 1: http is allowed on this computer only. Use https."),
          ("type", "Choose one of the two."), ("grant", "Choose at least one grant."),
          ("scope", "Token exchange needs the scope vend."), ("connection", "Choose a connection, or take away vend."),
        ]
      ).merging([
        "options_open": true,
        "connections": items(
          maps.merging(["allowed": true, "raw_token": false, "unattended": false, "personal": true])),
      ])),
    SamplePage(
      .adminClientNew, "bare",
      bare.merging(form(clientFields.mapValues { _ in "" }, choices: clientChoices)).merging([
        "options_open": false, "connections": [],
      ])),
    SamplePage(
      .adminClientEdit, "full",
      form(clientFields, choices: clientChoices).merging([
        "id": "c_7k2m9q4t", "registered_name": .text(hostile), "is_public": false, "unchecked": true,
        "options_open": true,
        "connections": items(maps.merging(["allowed": true, "raw_token": true, "unattended": true, "personal": true])),
      ])),
    SamplePage(
      .adminClientEdit, "errors",
      bare.merging(form(clientFields, choices: clientChoices, errors: clientOptionErrors)).merging([
        "id": "c_7k2m9q4t", "registered_name": "Asset sync", "is_public": true, "unchecked": false,
        "options_open": true, "connections": [],
      ])),
    SamplePage(.adminClientCreated, "full", created(true, false, "gh_sec_4Vq8s1Zt0mXy7Lr2Bn5KdWc9Ha3Pe6Uj")),
    SamplePage(.adminClientCreated, "rotated", created(false, true, "gh_sec_4", ends: noon)),
    SamplePage(.adminClientCreated, "shown before", created(false, false, .none)),
    SamplePage(.adminClientCreated, "public", created(true, false, .none).merging(["confidential": false])),
    SamplePage(
      .adminClientRotate, "full",
      [
        "id": "c_7k2m9q4t", "name": .text(hostile), "stale": true, "present": "1", "present_made": noon,
        "overlap_hours": "24", "ending": noon,
      ]),
    SamplePage(
      .adminClientRotate, "bare",
      bare.merging([
        "id": "c_7k2m9q4t", "name": "Asset sync", "stale": false, "present": "1", "present_made": noon,
        "overlap_hours": "24", "ending": .none,
      ])),
    SamplePage(
      .adminInvitation, "full", maps.merging(["link": "https://norrvik.example/gate/invitation?ticket=x", "days": "7"])
    ),
    SamplePage(.adminInvitation, "shown before", maps.merging(["link": .none, "days": "7"])),
    SamplePage(
      .adminClient, "full",
      form(["confirm": "", "accent": "#1f4e79", "logo": ""]).merging([
        "own_pages": true, "logo_now": .url("/gate/apps/client_1/logo.png?v=1"),
        "id": "c_7k2m9q4t", "name": "Asset sync", "state": .choice(BadgeState.active), "confidential": true,
        "signs_in": false, "runs_jobs": false, "disabled": false, "grants": ["client_credentials", "token-exchange"],
        "scopes": ["vend"],
        "redirect_uris": ["https://sync.norrvik.example/back"], "registered": noon, "last_use": noon,
        "has_secret": true, "settings": items(["name": "token_endpoint_auth_method", "value": "client_secret"]),
        "changed": true, "shown": "m_1",
        "registration": [
          "unchecked": true, "token": .text(hostile), "checked": noon,
          "about": items(["label": "Terms", "host": "sync.example", "url": .url("https://sync.example/terms")]),
          "contacts": [.text(hostile)], "software": .text(hostile),
        ],
        "secrets": items(
          ["slot": "1", "state": .choice(BadgeState.expiring), "made": noon, "ends": noon],
          ["slot": "2", "state": .choice(BadgeState.active), "made": noon, "ends": .none]),
        "connections": items(
          maps.merging(["raw_token": true, "unattended": true]),
          archive.merging(["raw_token": false, "unattended": false])),
      ])),
    SamplePage(
      .adminClient, "errors",
      bare.merging(
        form(
          ["confirm": "", "accent": "red", "logo": ""],
          errors: [
            ("confirm", "Type c_b3x8n1wd to delete this client."), ("accent", "Write the colour as # and six digits."),
            ("logo", "The logo has to be a PNG image."),
          ])
      ).merging([
        "own_pages": true, "logo_now": .none,
        "id": "c_b3x8n1wd", "name": .text(hostile), "state": .choice(BadgeState.disabled), "confidential": false,
        "signs_in": true, "runs_jobs": true, "disabled": true, "grants": [], "scopes": [], "redirect_uris": [],
        "registered": noon, "last_use": .none, "has_secret": false, "settings": [], "changed": false, "shown": "m_1",
        "registration": [
          "unchecked": false, "token": .none, "checked": .none, "about": [], "contacts": [], "software": .none,
        ],
        "secrets": [], "connections": [],
      ])),
    SamplePage(
      .adminClient, "with a key",
      bare.merging(form(["confirm": "", "accent": "", "logo": ""])).merging([
        "own_pages": false, "logo_now": .none,
        "id": "c_b3x8n1wd", "name": "Night batch", "state": .choice(BadgeState.active), "confidential": true,
        "signs_in": false, "runs_jobs": false, "disabled": false, "grants": ["client_credentials"], "scopes": ["vend"],
        "redirect_uris": [], "registered": noon, "last_use": .none, "has_secret": false, "changed": false,
        "shown": "m_1", "registration": .none,
        "settings": items(["name": "jwks_uri", "value": "https://batch.norrvik.example/keys"]), "secrets": [],
        "connections": [],
      ])),
  ]
}
