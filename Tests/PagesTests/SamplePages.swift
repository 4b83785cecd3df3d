@testable import Pages

/// One page with every slot filled in.
struct SamplePage: Sendable, CustomStringConvertible {
  let page: PageName
  /// What the sample shows, such as `full` or `empty`.
  let name: String
  let context: PageContext.Object

  var description: String { "\(page.file), \(name)" }

  init(_ page: PageName, _ name: String, _ own: PageContext.Object) {
    self.page = page
    self.name = name
    context = SamplePage.common.merging(own)
  }

  /// What every page, or every page of account and administration, is given.
  static let common: PageContext.Object = [
    "base": .url("/gate"), "style": .url("/gate/assets/style.css"), "logo": .url("/gate/assets/logo.svg"),
    "own_logo": false, "passkey_script": .url("/gate/assets/passkeys.js"),
    "form_post_script": .url("/gate/assets/form-post.js"),
    "organisation": "Norrvik Region", "is_named": true, "help_url": .url("https://help.norrvik.example/"),
    "privacy_url": .url("/gate/privacy"), "client_style": .url("/gate/apps/client_1/style.css?v=1"),
    "client_logo": .url("/gate/apps/client_1/logo.png?v=1"), "csrf": "c5rf", "account_name": "Ana Lind",
    "is_administrator": true,
    "errors": [], "ticket": "t_8s1", "person_name": "Bo Lind",
  ]

  /// Common slots as a bare installation has them.
  static let bare: PageContext.Object = [
    "base": .url(""), "style": .url("/assets/style.css"), "logo": .url("/assets/logo.svg"),
    "own_logo": true, "passkey_script": .url("/assets/passkeys.js"),
    "form_post_script": .url("/assets/form-post.js"),
    "help_url": .none, "privacy_url": .none, "client_style": .none, "client_logo": .none, "is_administrator": false,
    "ticket": "", "person_name": .none,
  ]

  /// What a page posts to an app.
  static func posted(_ fields: [(String, String)]) -> PageContext {
    [
      "target": .url("https://garden.example:8443/back?a=b&c=d"),
      "fields": .list(fields.map { ["name": .text($0.0), "value": .text($0.1)] }),
    ]
  }

  static let noon: PageContext = .time(1_795_250_047)

  static var all: [SamplePage] {
    cardPages + noticePages + securityPages + formPages + challengePages + signOutPages + accountPages + auditPages
      + ledgerPages
      + connectionPages
      + clientPages
      + keyPages + usagePages + appPages + editPages
  }

  static func form(
    _ fields: [String: String], choices: [String: [String]] = [:], errors: [(String, String)] = []
  ) -> PageContext.Object {
    var form = PageForm()
    for (field, value) in fields { form.fill(field, with: value) }
    for (field, options) in choices {
      form.choose(field, from: options, chosen: errors.isEmpty ? Set(options.prefix(1)) : [])
    }
    for (field, text) in errors { form.refuse(field, Words(text)) }
    return form.slots
  }
}

extension SamplePage {
  static let maps: PageContext.Object = [
    "id": "norrvik-maps", "name": "Norrvik Maps", "host": "maps.norrvik.example", "kind": .choice(KindName.oauthUser),
  ]
  static let work: PageContext.Object = [
    "id": "work", "name": "Norrvik work account", "host": "login.norrvik.example", "kind": .choice(KindName.oidc),
  ]
  static let archive: PageContext.Object = [
    "id": "archive", "name": "Survey archive", "host": "archive.norrvik.example", "kind": .choice(KindName.password),
  ]
  /// A name that would break out of a page that does not escape, and is long.
  static let hostile = "\"><b>Bobby & ' \u{202E}Tables</b> of the very long department of harbours"

  static func items(_ objects: PageContext.Object...) -> PageContext { .list(objects.map(PageContext.object)) }
}

extension SamplePage {
  static let cardPages: [SamplePage] = [
    SamplePage(
      .setup, "full", form(["username": "", "display_name": "", "password": "", "password_again": ""])),
    SamplePage(
      .setup, "errors",
      form(
        ["username": "ana", "display_name": "Ana Lind", "password": "", "password_again": ""],
        errors: [
          ("password", "The password has 9 characters; use at least 15."),
          ("password_again", "The two passwords differ. Type both again."),
        ])),
    SamplePage(.home, "full", ["is_set_up": true]),
    SamplePage(.home, "new", ["is_set_up": false]),
    SamplePage(
      .signIn, "full",
      form(["username": "", "password": ""]).merging([
        "client_name": "Norrvik Map Viewer", "to_administration": false, "again_name": "Ana Lind", "again": true,
        "can_ask_for_link": true,
        "passkey": passkey,
        "connections": items(maps, work, archive),
      ])),
    SamplePage(
      .signIn, "errors",
      bare.merging(
        form(
          ["username": "ana.lind", "password": ""],
          errors: [
            ("password", "User name and password do not match. Try again, or ask an administrator."),
            ("", "After 3 more tries you must wait a minute."),
          ])
      ).merging([
        "client_name": .none, "to_administration": true, "again_name": .none, "again": false, "passkey": .none,
        "can_ask_for_link": false,
        "connections": [],
      ])),
    SamplePage(
      .consent, "full",
      form([:], choices: ["connection": []]).merging([
        "shown": "m_1", "connect_ticket": "app:h_1", "client_name": "Norrvik Map Viewer",
        "returns_to": "viewer.norrvik.example", "reads_code": false,
        "registered": noon, "device": .none, "lasts": "30 days", "outlasts": true,
        "scopes": [
          "openid": true, "profile": true, "email": true, "offline_access": true, "vend": true, "vend_unattended": true,
        ],
        "portals": items(["name": "Norrvik Maps"], ["name": .text(hostile)]), "acts": true,
        "unconnected": ["id": "norrvik-maps", "name": .text(hostile)],
        "other_scopes": ["reports:read"], "unchecked": true,
        "about": items(
          ["label": "Website", "host": "viewer.norrvik.example", "url": .url("https://viewer.norrvik.example/")],
          ["label": "Terms", "host": "norrvik.example", "url": .url("https://norrvik.example/terms?a=b&c=d")]),
        "connections": items(
          maps.merging(["raw_token": true, "connected": true, "checked": false, "leavable": true, "left": false]),
          archive.merging(["raw_token": false, "connected": false, "checked": true, "leavable": true, "left": true])),
        "before": .none, "leavable": [],
      ])),
    SamplePage(
      .consent, "more",
      form([:], choices: ["connection": []]).merging([
        "shown": "m_1", "connect_ticket": "app:h_1", "client_name": "Norrvik Map Viewer",
        "returns_to": "viewer.norrvik.example", "reads_code": false,
        "registered": noon, "lasts": "10 minutes", "outlasts": false, "other_scopes": [], "connections": [],
        "device": .none, "unchecked": false, "about": [], "portals": [], "acts": false, "unconnected": .none,
        "leavable": items(maps.merging(["left": false]), ["id": "b", "name": .text(hostile), "left": true]),
        "scopes": [
          "openid": false, "profile": true, "email": false, "offline_access": true, "vend": false,
          "vend_unattended": true,
        ],
        "before": [
          "scopes": [
            "openid": true, "profile": false, "email": false, "offline_access": false, "vend": true,
            "vend_unattended": false,
          ],
          "other_scopes": ["reports:read"], "services": items(["name": "Norrvik Maps"], ["name": .text(hostile)]),
        ],
      ])),
    SamplePage(
      .consent, "errors",
      form([:], choices: ["connection": []], errors: [("connection", "Tick at least one service.")])
        .merging([
          "shown": "m_1", "connect_ticket": "app:h_1", "client_name": .text(hostile), "returns_to": .none,
          "reads_code": true,
          "registered": noon, "device": ["address": "203.0.113.7", "asked": noon], "lasts": "30 days",
          "outlasts": false,
          "scopes": [
            "openid": false, "profile": false, "email": false, "offline_access": false, "vend": true,
            "vend_unattended": false,
          ],
          "portals": [], "acts": true, "unconnected": .none,
          "other_scopes": [], "unchecked": false, "about": [], "before": .none, "leavable": [],
          "connections": items(
            maps.merging(["raw_token": true, "connected": true, "checked": false, "leavable": true, "left": false])),
        ])),
    SamplePage(.device, "full", form(["user_code": "WDJB-MJHT"])),
    SamplePage(
      .device, "errors", form(["user_code": hostile], errors: [("user_code", "No device waits with this code.")])
    ),
    SamplePage(.deviceAnswered, "allowed", ["allowed": true]),
    SamplePage(.deviceAnswered, "denied", ["allowed": false]),
    SamplePage(
      .formPost, "full",
      [
        "host": "garden.example:8443",
        "post": posted([("code", "c0de"), ("state", hostile), ("iss", "https://gate.example")]),
      ]),
    SamplePage(
      .formPost, "bare", bare.merging(["host": "garden.example", "post": posted([("error", "login_required")])])),
    SamplePage(
      .leave, "posted",
      [
        "client_name": "Garden", "host": "garden.example:8443", "reason": "The scope is empty.",
        "post": posted([("error", "invalid_scope"), ("state", hostile)]),
      ]),
    SamplePage(
      .leave, "full",
      [
        "client_name": .text(hostile), "host": "garden.example:8443", "target": "c2lnbmVk.1", "post": .none,
        "reason": "The scope holds a word that is malformed or not allowed for this client.",
      ]),
    SamplePage(
      .leave, "bare",
      bare.merging([
        "client_name": "Garden", "host": "org.example.garden", "target": "c2lnbmVk.1", "post": .none, "reason": "",
      ])),
    SamplePage(
      .linkAccount, "other identity",
      maps.merging([
        "reason": .choice(LinkReason.otherIdentity), "identity": "ana.lind_admin", "identity_before": "ana.lind",
      ])),
    SamplePage(
      .linkAccount, "not invited",
      maps.merging([
        "reason": .choice(LinkReason.notInvited), "identity": .text(hostile), "identity_before": .none,
        "account_name": .none, "has_invitation": true,
      ])),
    SamplePage(
      .invitation, "full",
      maps.merging(["ticket": "t_1", "invitee": .text(hostile), "ends": noon, "account_name": "Ana Lind"])),
    SamplePage(
      .invitation, "bare",
      work.merging(bare).merging(["ticket": "t_1", "invitee": .none, "ends": noon, "account_name": .none])),
    SamplePage(
      .disconnect, "full",
      maps.merging(["signed_in_as": "ana.lind", "revocable": true, "network": false, "ends": noon])),
    SamplePage(
      .disconnect, "bare",
      archive.merging(["signed_in_as": .none, "revocable": false, "network": false, "ends": noon])),
    SamplePage(
      .disconnect, "network",
      archive.merging(["signed_in_as": .none, "revocable": false, "network": true, "ends": .none])),
    SamplePage(
      .error, "full",
      [
        "title": "Sign-in could not be completed",
        "message": "Norrvik Maps took longer than 10 minutes to send you back, so this attempt was closed.",
        "advice": "Nothing was changed. Start again from here.", "retry_url": .url("/gate/signin"), "time": noon,
        "code": "state_expired", "request_id": "7F3K-92QD",
      ]),
    SamplePage(
      .error, "bare",
      bare.merging([
        "title": "This page does not exist", "message": "The address may be mistyped.", "advice": .none,
        "retry_url": .none, "time": noon, "code": .none, "request_id": "7F3K-92QE",
      ])),
  ]

  static let certificate: PageContext = [
    "subject": .text(hostile), "issuer": "CN=Norrvik authority,O=Norrvik",
    "fingerprint": .text(Array(repeating: "A7", count: 32).joined(separator: ":")),
    "public_key": .text(Array(repeating: "0F", count: 32).joined(separator: ":")), "from": noon, "until": noon,
  ]

  static let accountPages: [SamplePage] = [
    SamplePage(
      .account, "full",
      [
        "connected_name": "Norrvik Maps", "disconnected_name": "Old portal",
        "notices": items(brokenNotice, browserNotice), "more_notices": true,
        "services": items(
          maps.merging([
            "signed_in_as": "ana.lind", "state": .choice(BadgeState.healthy), "reason": .none, "endless": true,
            "renews": true,
            "expires": noon, "kept_until": noon, "kept_here": false, "last_use": noon, "used_by": "Norrvik Map Viewer",
            "certificate": .none,
          ]),
          work.merging([
            "signed_in_as": "ana.lind@norrvik.example", "state": .choice(BadgeState.expiring), "reason": .none,
            "endless": true, "renews": false, "expires": noon, "kept_until": .none, "kept_here": true, "last_use": noon,
            "used_by": .none, "certificate": certificate,
          ]),
          archive.merging([
            "signed_in_as": .none, "state": .choice(BadgeState.broken), "endless": true, "renews": false,
            "expires": .none, "kept_until": .none, "kept_here": false,
            "reason": "The server refused the password on 20 November 2026 at 17:40.", "last_use": .none,
            "used_by": .none, "certificate": .none,
          ])),
        "available": items([
          "id": "sensors", "name": .text(hostile), "host": "s.example", "kind": work["kind"] ?? .none,
        ]),
        "uses": items(
          [
            "client": "Norrvik Map Viewer", "client_id": "client_1", "service": "Norrvik Maps", "proxied": false,
            "unattended": true,
            "lifetime": "30 minutes", "time": noon,
          ],
          [
            "client": "Field Crew", "client_id": .none, "service": "Survey archive", "proxied": true,
            "unattended": false,
            "lifetime": .none, "time": noon,
          ]),
      ]),
    SamplePage(
      .account, "bare",
      bare.merging([
        "connected_name": .none, "disconnected_name": .none, "services": [], "available": [], "uses": [],
        "notices": [], "more_notices": false,
      ])),
    SamplePage(
      .adminAccounts, "full",
      form(
        ["username": hostile, "display_name": "", "email": ""],
        errors: [("username", "An account with this user name exists already.")]
      ).merging([
        "disabled_name": "Bo Ek", "enabled_name": .text(hostile),
        "pager": ["shown": "1 to 3 of 7", "first": .url("/gate/admin/accounts"), "next": .none],
        "accounts": items(
          [
            "id": "a_1", "name": "Ana Lind", "username": "ana.lind", "connection": .none, "administrator": true,
            "sessions": "2", "last_sign_in": noon, "disabled": false, "is_self": true,
          ],
          [
            "id": "a_2", "name": "Bo Ek", "username": "bo.ek", "connection": "Norrvik Maps", "administrator": false,
            "sessions": "0", "last_sign_in": .none, "disabled": true, "is_self": false,
          ],
          [
            "id": "a_3", "name": .text(hostile), "username": "c", "connection": "Norrvik Maps",
            "administrator": false, "sessions": "1", "last_sign_in": noon, "disabled": false, "is_self": false,
          ]),
      ])),
    SamplePage(
      .adminAccounts, "bare",
      bare.merging(form(["username": "", "display_name": "", "email": ""])).merging([
        "disabled_name": .none, "enabled_name": .none, "pager": .none, "accounts": [],
      ])),
    SamplePage(
      .adminPasswordLink, "full",
      [
        "id": "a_1", "name": .text(hostile), "username": "ana", "hours": "24",
        "link": "https://norrvik.example/gate/password?ticket=x",
      ]),
    SamplePage(
      .adminPasswordLink, "shown before",
      ["id": "a_1", "name": "Ana Lind", "username": "ana", "hours": "24", "link": .none]),
  ]
}
