@testable import Pages

extension SamplePage {
  static let ledgerPages: [SamplePage] = [
    SamplePage(
      .accountLedger, "full",
      [
        "id": "client_1", "app_name": .text(hostile), "allowed": true,
        "uses": items(use(), use(refused: true), use(proxied: true)),
        "pager": ["shown": "51 to 53", "first": .url("/gate/account/apps/client_1/ledger"), "next": .none],
      ]),
    SamplePage(
      .accountLedger, "bare",
      bare.merging(["id": "client_2", "app_name": "Field Crew", "allowed": false, "uses": [], "pager": .none])),
    SamplePage(
      .adminLedger, "full",
      filter().merging([
        "filtered": true, "further": false, "uses": items(entry(), entry(refused: true)),
        "pager": [
          "shown": "51 to 52", "first": .url("/gate/admin/ledger?client=a%26"),
          "next": .url("/gate/admin/ledger?client=a%26&after=x"),
        ],
      ])),
    SamplePage(
      .adminLedger, "further",
      filter().merging([
        "filtered": true, "further": true, "uses": [],
        "pager": ["shown": "None in this part of the log", "first": .none, "next": .url("/gate/admin/ledger?after=x")],
      ])),
    SamplePage(.adminLedger, "bare", bare.merging(filter()).merging(nothing(filtered: false))),
    SamplePage(
      .adminLedger, "errors",
      filter([
        ("account", "No account has this name, user name or id."), ("client", "No client has this name or id."),
        ("connection", "No connection has this name or id."), ("outcome", "Choose one of the outcomes."),
        ("from", "Enter a day such as 2026-11-21."), ("until", "Enter a day such as 2026-11-21."),
      ]).merging(nothing(filtered: true))),
    SamplePage(
      .adminWhy, "granted",
      question().merging([
        "granted": true, "code": "", "reason": .none, "verdict": "",
        "steps": items(step("Client", "passed"), step("Connection", "noted"), step("Outcome", "passed", decides: true)),
      ])),
    SamplePage(
      .adminWhy, "refused",
      question().merging([
        "granted": false, "code": "interaction_required", "reason": "not_connected",
        "verdict": "The person has not allowed this client to use the connection.",
        "steps": items(step("Client", "passed"), step("Consent", "refused", decides: true)),
      ])),
    SamplePage(.adminWhy, "bare", bare.merging(question()).merging(unasked)),
    SamplePage(
      .adminWhy, "errors",
      question([
        ("client", "Enter the name or id of a client."), ("url", "Enter the address that the app wants to call."),
        ("min_ttl", "Enter a number of seconds from 0 to 7200, or nothing."), ("", "Several are called Ana."),
      ]).merging(unasked)),
  ]

  private static let resource = "https://maps.norrvik.example/portal/sharing/rest/content/items/0123456789abcdef/data"

  private static func use(refused: Bool = false, proxied: Bool = false) -> PageContext.Object {
    [
      "time": noon, "resource": .text(resource), "service": refused ? .none : .text(hostile),
      "refused": .flag(refused), "proxied": .flag(proxied), "reason": "You did not want it.",
      "lifetime": proxied ? .none : "30 minutes", "job": refused ? .text(hostile) : .none,
    ]
  }

  private static func entry(refused: Bool = false) -> PageContext.Object {
    [
      "time": noon, "client": .text(hostile), "client_id": "client_1", "resource": .text(resource),
      "account": refused ? .none : "Ana Lind", "account_id": refused ? .none : "acct_1",
      "connection": refused ? .none : "Norrvik Maps", "connection_id": refused ? "old" : "norrvik-maps",
      "detail": refused ? "invalid_target: No connection covers the resource." : "token 0123456789ab for 1800 s",
      "refused": .flag(refused), "why": refused ? .none : .url("/gate/admin/why?client=client_1"),
    ]
  }

  private static func filter(_ errors: [(String, String)] = []) -> PageContext.Object {
    form(
      ["account": hostile, "client": "", "connection": "", "from": "2026-11-21", "until": ""],
      choices: ["outcome": ["granted", "refused"]], errors: errors)
  }

  private static func nothing(filtered: Bool) -> PageContext.Object {
    ["filtered": .flag(filtered), "further": false, "uses": [], "pager": .none]
  }

  private static func question(_ errors: [(String, String)] = []) -> PageContext.Object {
    form(
      [
        "client": hostile, "account": "ana.lind", "url": resource, "min_ttl": "", "unattended_from": "10.20.0.7",
        "key": hostile, "method": "", "from": "", "referrer": "",
      ],
      errors: errors)
  }

  private static let unasked: PageContext.Object = [
    "granted": false, "code": "", "reason": .none, "verdict": "", "steps": [],
  ]

  private static func step(_ question: String, _ answer: String, decides: Bool = false) -> PageContext.Object {
    [
      "question": .text(question), "finding": .text(hostile), "passed": .flag(answer == "passed"),
      "noted": .flag(answer == "noted"), "refused": .flag(answer == "refused"), "decides": .flag(decides),
    ]
  }
}
