@testable import Pages

extension SamplePage {
  static let appPages: [SamplePage] = [
    SamplePage(
      .arcGISSignIn, "refused",
      [
        "oauth_state": "YWJj.0a1b.x-Y_z", "service": .text(hostile), "username": .text(hostile),
        "id": "maps",
        "app_passwords_url": .url("https://norrvik.example/gate/account/apps"), "in_browser_url": .none,
        "refused": true, "slowed": false,
      ]),
    SamplePage(
      .arcGISSignIn, "slowed",
      bare.merging([
        "oauth_state": "YWJj.0a1b.x-Y_z", "service": "Norrvik Maps", "username": "ana",
        "id": .none,
        "app_passwords_url": .url("https://norrvik.example/account/apps"),
        "in_browser_url": .url("https://norrvik.example/maps/sharing/rest/oauth2/authorize?in_browser=1"),
        "refused": true, "slowed": true,
      ])),
    SamplePage(.arcGISApproval, "full", ["code": .text(hostile), "service": .text(hostile)]),
    SamplePage(.arcGISApproval, "bare", bare.merging(["code": "abc-DEF_1", "service": "Norrvik Maps"])),
    SamplePage(
      .accountApps, "full",
      form(["place": ""], errors: [("place", "Choose one of the list.")]).merging([
        "withdrawn_name": .text(hostile), "unattended_name": .text(hostile), "ended_name": .text(hostile),
        "has_app_passwords": true, "fresh": true,
        "new_app_password": [
          "password": "gh_ap_0a1b2c", "portal": "https://norrvik.example/gate/maps", "username": .text(hostile),
        ],
        "app_passwords": items(
          [
            "id": "apw_1", "app": .text(hostile), "service": .text(hostile), "taken": true, "made": noon,
            "last_use": noon,
          ],
          [
            "id": "apw_2", "app": "Field Crew", "service": "Norrvik Maps", "taken": false, "made": noon,
            "last_use": .none,
          ]),
        "places": items(
          [
            "value": "client_1 maps", "app": .text(hostile), "service": .text(hostile), "nameless": true,
            "chosen": true,
          ],
          [
            "value": "client_2 maps", "app": "Field Crew", "service": "Norrvik Maps", "nameless": false,
            "chosen": false,
          ]),
        "apps": items(
          [
            "id": "client_1", "name": "Norrvik Map Viewer", "disabled": false, "given": noon, "last_use": noon,
            "scopes": [
              "openid": true, "profile": true, "email": true, "offline_access": true, "vend": true,
              "vend_unattended": true,
            ],
            "other_scopes": ["reports:read"],
            "services": items(
              maps.merging(["raw_token": true, "unattended": true]),
              archive.merging(["raw_token": false, "unattended": false])),
          ],
          [
            "id": "client_2", "name": .text(hostile), "disabled": true, "given": noon, "last_use": .none,
            "scopes": [
              "openid": true, "profile": false, "email": false, "offline_access": false, "vend": false,
              "vend_unattended": false,
            ],
            "other_scopes": [], "services": [],
          ]),
      ])),
    SamplePage(
      .accountApps, "bare",
      bare.merging(form(["place": ""])).merging([
        "withdrawn_name": .none, "unattended_name": .none, "ended_name": .none, "apps": [], "has_app_passwords": false,
        "new_app_password": .none, "app_passwords": [], "places": [], "fresh": false,
      ])),
    SamplePage(
      .withdrawConsent, "full",
      [
        "id": "client_1", "name": .text(hostile), "got_tokens": true, "given": noon,
        "services": items(maps.merging(["unattended": true]), archive.merging(["unattended": false])), "last_use": noon,
        "unattended": true,
      ]),
    SamplePage(
      .withdrawConsent, "bare",
      bare.merging([
        "id": "client_2", "name": "Field Crew", "services": [], "got_tokens": false, "given": noon, "last_use": .none,
        "unattended": false,
      ])),
  ]
}
