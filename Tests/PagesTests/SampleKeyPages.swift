@testable import Pages

extension SamplePage {
  private static let keyFields = [
    "name": "", "resource": "", "longest_answer": "", "referrer": "", "network": "", "per_minute": "", "per_day": "",
    "days": "90", "connection": "",
  ]
  private static let keyChoices = ["kind": ["secret", "publishable"], "method": ["reading"]]

  private static func key(_ id: String, publishable: Bool, ended: Bool, _ narrowed: String?) -> PageContext.Object {
    let places: PageContext = narrowed == nil ? [] : ["https://app.example/maps", "192.0.2.0/24"]
    return [
      "id": .text(id), "client": "client_7k2m9q4t", "name": .text(hostile), "publishable": .flag(publishable),
      "ended": .flag(ended), "services": ["Survey archive"],
      "resources": narrowed == nil ? [] : ["https://archive.norrvik.example/a"], "methods": .text(ifAny: narrowed),
      "longest": .text(ifAny: narrowed), "places": places, "quotas": narrowed == nil ? [] : ["60 a minute"],
      "calls": "12", "refusals": "1", "can_follow": .flag(!ended),
      "secrets": items(
        [
          "id": .text(id), "client": "client_7k2m9q4t", "name": .text(hostile), "slot": "1",
          "works": .flag(!ended),
          "state": .choice(BadgeState.active), "ends": noon, "last_use": noon,
        ],
        [
          "id": .text(id), "client": "client_7k2m9q4t", "name": .text(hostile), "slot": "2", "works": false,
          "state": .choice(BadgeState.unused), "ends": noon, "last_use": .none,
        ]),
    ]
  }

  private static let edited: PageContext.Object = [
    "id": "client_7k2m9q4t", "name": .text(hostile), "key": "key_1", "key_name": .text(hostile),
  ]

  static let keyPages: [SamplePage] = [
    SamplePage(
      .adminClientKeyEdit, "full",
      form(keyFields.merging(["method": "GET, HEAD"]) { $1 }).merging(edited).merging([
        "publishable": true, "connections": items(archive.merging(["allowed": true])),
      ])),
    SamplePage(
      .adminClientKeyEdit, "errors",
      bare.merging(
        form(
          keyFields.merging(["method": "BREW"]) { $1 },
          errors: (keyFields.keys.sorted().filter { $0 != "days" } + ["method", ""]).map { ($0, "Mend this.") })
      ).merging(edited).merging([
        "publishable": false, "connections": items(archive.merging(["allowed": false])),
      ])),
    SamplePage(
      .adminClientKeys, "full",
      form(keyFields, choices: keyChoices).merging([
        "id": "client_7k2m9q4t", "name": .text(hostile), "keeps_secrets": true,
        "new_key": "gh_sk_0123456789abcdef0123456789abcdef_4Vq8s1Zt0mXy7Lr2Bn5KdWc9Ha3Pe6Uj4Vq8s1Zt0mX_deadbeef",
        "keys": items(
          key("key_1", publishable: false, ended: false, "GET, HEAD"),
          key("key_2", publishable: true, ended: true, nil)),
        "connections": items(archive.merging(["allowed": true])),
      ])),
    SamplePage(
      .adminClientKeys, "errors",
      bare.merging(
        form(
          keyFields, choices: keyChoices,
          errors: (keyFields.keys.sorted() + ["kind", "method", ""]).map { ($0, "Mend this.") })
      ).merging([
        "id": "client_7k2m9q4t", "name": "Asset sync", "keeps_secrets": false, "new_key": .none, "keys": [],
        "connections": items(archive.merging(["allowed": false])),
      ])),
    SamplePage(
      .adminClientKeys, "bare",
      bare.merging(form(keyFields, choices: keyChoices)).merging([
        "id": "client_7k2m9q4t", "name": "Asset sync", "keeps_secrets": true, "new_key": .none, "keys": [],
        "connections": [],
      ])),
  ]
}
