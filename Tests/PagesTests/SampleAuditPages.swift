@testable import Pages

extension SamplePage {
  static let auditPages: [SamplePage] = [
    SamplePage(
      .adminAudit, "full",
      auditFilter().merging([
        "filtered": true, "events": events,
        "pager": [
          "shown": "51 to 52 of 60", "first": .url("/gate/admin/audit?a=b%26&c=d"),
          "next": .url("/gate/admin/audit?after=x"),
        ],
      ])),
    SamplePage(.adminAudit, "bare", bare.merging(auditFilter()).merging(noEvents(filtered: false))),
    SamplePage(
      .adminAudit, "errors",
      auditFilter([
        ("account", "No account has this name, user name or id."), ("client", "No client has this name or id."),
        ("connection", "No connection has this name or id."), ("kind", "There is no such kind of event."),
        ("from", "Enter a day such as 2026-11-21."), ("until", "Enter a day such as 2026-11-21."),
      ]).merging(noEvents(filtered: true))),
    SamplePage(
      .adminOverview, "full",
      [
        "now": noon, "is_new": false, "events": events,
        "count": [
          "credentials": "431", "healthy": "412", "expiring": "14", "broken": "5", "clients": "23", "accounts": "96",
          "sessions": "41", "vends": "714", "refused": "16",
        ],
        "connections": items(
          maps.merging([
            "state": .choice(BadgeState.retrying), "healthy": "286", "expiring": "3", "broken": "1",
            "last_refresh": noon, "waiting": ["count": "2 sign-ins", "until": noon],
          ]),
          archive.merging([
            "state": .choice(BadgeState.disabled), "healthy": "17", "expiring": "0", "broken": "4",
            "last_refresh": .none, "waiting": .none,
          ])),
      ]),
    SamplePage(
      .adminOverview, "bare",
      bare.merging([
        "now": noon, "is_new": true, "events": [], "connections": [],
        "count": [
          "credentials": "0", "healthy": "0", "expiring": "0", "broken": "0", "clients": "0", "accounts": "1",
          "sessions": "1", "vends": "0", "refused": "0",
        ],
      ])),
  ]

  private static func auditFilter(_ errors: [(String, String)] = []) -> PageContext.Object {
    form(
      ["account": hostile, "client": "", "connection": "", "from": "2026-11-21", "until": ""],
      choices: [
        "kind": ["sign_ins", "people", "permissions", "tokens", "vends", "services", "configuration", "system"],
        "refused": ["on"],
      ], errors: errors)
  }

  private static func noEvents(filtered: Bool) -> PageContext.Object {
    ["filtered": .flag(filtered), "events": [], "pager": .none]
  }

  private static let events = items(
    [
      "time": noon, "event": "vend_token", "words": "App got a token of a service",
      "detail": "https://maps.norrvik.example/server/rest/services/Harbour", "account": "Ana Lind",
      "account_id": "acct_1", "client": .none, "client_id": .none, "connection": "Norrvik Maps",
      "by": "Norrvik Map Viewer", "by_account": .none, "by_client": "client_1", "by_administrator": false,
      "address": "2001:db8::7",
      "connection_id": "norrvik-maps", "reference": "7F3K-92QD", "refused": false,
    ],
    [
      "time": noon, "event": "authn_login_fail", "words": "Sign-in failed", "detail": .none, "account": .none,
      "account_id": .none, "client": "Survey app", "client_id": "client_2", "connection": .none, "connection_id": "old",
      "by": "Root", "by_account": "acct_2", "by_client": .none, "by_administrator": true, "address": .none,
      "reference": .none, "refused": true,
    ])
}
