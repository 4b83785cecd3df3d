@testable import Pages

extension SamplePage {
  private static let firefox: PageContext.Object = [
    "id": "s_1", "browser": "Firefox on Linux", "address": "192.0.2.7", "administration": false, "here": true,
    "since": noon, "seen": noon,
  ]

  static let passkey: PageContext = ["challenge": "c_1", "relying_party": "gatehouse.example", "known": "AAEC BAUG"]

  private static let phone: PageContext.Object = [
    "id": "pk_1", "name": "Phone", "copied": true, "since": noon, "last_use": noon,
  ]

  static let securityPages: [SamplePage] = [
    SamplePage(.accountEmail, "full", form(["email": "ana@norrvik.example"]).merging(["is_set": true])),
    SamplePage(
      .accountEmail, "errors",
      form(["email": hostile], errors: [("email", "This is no e-mail address.")]).merging(["is_set": false])),
    SamplePage(
      .forgotten, "errors", form(["username": hostile], errors: [("username", "Type your user name.")])),
    SamplePage(.emailLink, "full", ["address": "ana@norrvik.example", "name": .text(hostile)]),
    SamplePage(
      .accountSecurity, "full",
      [
        "done": "Your password is changed. 2 other browsers signed out.", "password_changed": noon, "others": true,
        "factors": true, "app_since": noon, "can_add": true,
        "passkeys": items(phone, phone.merging(["name": .text(hostile), "copied": false, "last_use": .none])),
        "recovery_codes": .text("3"), "few_codes": true, "mails": true, "email": .text("ana@norrvik.example"),
        "waiting_email": .text(hostile),
        "sessions": items(
          firefox,
          firefox.merging(["here": false, "administration": true, "browser": .text(hostile), "address": .none])),
      ]),
    SamplePage(
      .accountSecurity, "bare",
      bare.merging([
        "done": .none, "password_changed": .none, "others": false, "sessions": items(firefox), "factors": false,
        "app_since": .none, "can_add": false, "passkeys": [], "recovery_codes": .text("0"), "few_codes": true,
        "mails": false, "email": .none, "waiting_email": .none,
      ])),
    SamplePage(
      .accountSecurity, "password alone",
      [
        "done": .none, "password_changed": noon, "others": false, "sessions": items(firefox), "factors": false,
        "app_since": .none, "can_add": false, "passkeys": [], "recovery_codes": .text("0"), "few_codes": true,
        "mails": false, "email": .none, "waiting_email": .none,
      ]),
    SamplePage(
      .passwordLink, "errors",
      form(
        ["password": "", "password_again": ""],
        errors: [
          ("password", "Many people use a password like this one."), ("password_again", "The two passwords differ."),
        ]
      ).merging(["username": .text(hostile)])),
    SamplePage(
      .accountAuthenticator, "full",
      form(["code": ""]).merging([
        "qr": ["path": "M4 4h7v1h-7z", "size": .text("29")], "secret": "JBSW Y3DP EHPK 3PXP", "username": "ana",
        "issuer": .text(hostile),
      ])),
    SamplePage(
      .accountAuthenticator, "errors",
      form(["code": ""], errors: [("code", "This is not the code of now.")]).merging([
        "qr": .none, "secret": "JBSW Y3DP EHPK 3PXP", "username": "ana", "issuer": "Gatehouse",
      ])),
    SamplePage(
      .accountRecoveryCodes, "full",
      ["codes": items(["code": "JBSW-Y3DP-EHPK-3PXP"], ["code": "ABCD-Y3DP-EHPK-3PXP"]), "username": "ana"]),
    SamplePage(.accountRecoveryCodes, "shown", ["codes": [], "username": "ana"]),
    SamplePage(
      .accountPasskeyNew, "full",
      form(["name": ""]).merging([
        "challenge": "c_1", "relying_party": "gatehouse.example", "user": "AAEC", "username": .text(hostile),
        "algorithms": "-7 -8 -257", "known": "",
      ])),
    SamplePage(
      .accountPasskeyNew, "errors",
      form(["name": "Phone"], errors: [("name", "Your browser sent no passkey.")]).merging([
        "challenge": "c_1", "relying_party": "gatehouse.example", "user": "AAEC", "username": "ana",
        "algorithms": "-7 -8 -257", "known": "AAEC",
      ])),
    SamplePage(
      .secondFactor, "full",
      form(["code": "", "recovery_code": ""]).merging([
        "app": true, "recovery": true, "recovery_open": false, "passkey": passkey,
      ])),
    SamplePage(
      .secondFactor, "errors",
      bare.merging(
        form(
          ["code": "", "recovery_code": ""],
          errors: [("code", "This is not the code of now."), ("recovery_code", "This is no recovery code.")])
      ).merging(["app": true, "recovery": true, "recovery_open": true, "passkey": .none])),
    SamplePage(
      .adminAccountFactors, "full",
      [
        "id": "acct_1", "name": .text(hostile), "on": true, "app_since": noon, "recovery_codes": .text("3"),
        "passkeys": .text("2"), "removed": false,
      ]),
    SamplePage(
      .adminAccountFactors, "removed",
      [
        "id": "acct_1", "name": "Bo", "on": false, "app_since": .none, "recovery_codes": .text("0"),
        "passkeys": .text("0"), "removed": true,
      ]),
    SamplePage(
      .adminAccountFactors, "codes alone",
      [
        "id": "acct_1", "name": "Bo", "on": true, "app_since": .none, "recovery_codes": .text("9"),
        "passkeys": .text("2"), "removed": false,
      ]),
    SamplePage(
      .adminAppPasswords, "of a person",
      [
        "person": ["id": "acct_1", "name": .text(hostile)], "place": .none, "ended": true, "pager": .none,
        "app_passwords": items(
          [
            "owner": .text(hostile), "app": .text(hostile), "client_id": "client_1", "service": .text(hostile),
            "taken": true, "made": noon, "last_use": noon, "id": "apw_1",
          ],
          [
            "owner": "Bo", "app": "Field Crew", "client_id": "client_2", "service": "Maps", "taken": false,
            "made": noon, "last_use": .none, "id": "apw_2",
          ]),
      ]),
    SamplePage(
      .adminAppPasswords, "at a connection",
      [
        "person": .none, "place": ["id": "maps", "name": .text(hostile)], "ended": false,
        "pager": [
          "shown": "1 to 50 of 60", "first": .none, "next": .url("/gate/admin/connections/maps/app-passwords?after=x"),
        ],
        "app_passwords": items([
          "owner": .text(hostile), "app": .text(hostile), "client_id": "client_1", "service": .text(hostile),
          "taken": true, "made": noon, "last_use": noon, "id": "apw_1",
        ]),
      ]),
    SamplePage(
      .adminAppPasswords, "none",
      ["person": ["id": "acct_1", "name": "Bo"], "place": .none, "ended": false, "pager": .none, "app_passwords": []]),
    SamplePage(
      .accountPassword, "full",
      form(["present_password": "", "password": "", "password_again": ""]).merging([
        "username": "ana", "end_others": true,
      ])),
    SamplePage(
      .accountPassword, "errors",
      form(
        ["present_password": "", "password": "", "password_again": ""],
        errors: [
          ("present_password", "This is not your present password. Type it again."),
          ("password", "The password needs at least 15 characters."),
          ("password_again", "The two passwords differ. Type both again."),
        ]
      ).merging(["username": "ana", "end_others": false])),
  ]
}
