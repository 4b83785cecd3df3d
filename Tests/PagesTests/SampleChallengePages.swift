@testable import Pages

extension SamplePage {
  /// The way through the layers of a URL.
  static let challengePages: [SamplePage] =
    [
      SamplePage(.challengeAddress, "full", form(["resource": ""])),
      SamplePage(
        .challengeAddress, "errors",
        bare.merging(form(["resource": "maps"], errors: [("resource", "Enter a whole web address.")]))),
      SamplePage(
        .challenge, "full",
        work.merging(keeping).merging([
          "kept_days": "90 days", "connection": "work", "by_form": false, "server_asks": true, "other_ways": true,
          "resource": .text(layer), "target": "maps.norrvik.example",
          "client_name": .text(hostile), "problem": "maps.norrvik.example did not accept the stored sign-in.",
          "asked_english": "", "asked": "maps.norrvik.example asks for your sign-in at login.norrvik.example.",
          "steps": [
            ["number": "1", "title": "Network", "text": "Signed in to Office network as ana.lind.", "done": true],
            ["number": "2", "title": "Application proxy", "text": "Now: Norrvik work account.", "done": false],
          ],
        ])),
      SamplePage(
        .challenge, "errors",
        maps.merging(keepingErrors).merging([
          "kept_days": .none, "connection": "norrvik-maps", "by_form": false, "server_asks": false, "other_ways": false,
          "resource": .text(layer), "target": "maps.norrvik.example", "client_name": "Map app", "problem": .none,
          "asked_english": "", "asked": "Map app needs Norrvik Maps for this address.",
          "steps": [["number": "1", "title": "ArcGIS", "text": "Now: Norrvik Maps.", "done": false]],
        ])),
      SamplePage(
        .challenge, "form",
        bare.merging(archive).merging(keeping).merging([
          "kept_days": .none, "connection": "archive", "by_form": true, "server_asks": true, "other_ways": false,
          "resource": .text(layer), "target": "maps.norrvik.example",
          "client_name": .none, "problem": .none, "asked_english": "",
          "asked": "maps.norrvik.example asks for a user name and password.",
          "steps": [["number": "1", "title": "Network", "text": "Now: Survey archive.", "done": false]],
        ])),
    ] + ChallengeResult.allCases.map { ends($0, isBare: false) } + [
      ends(.ready, isBare: true), ends(.allow, isBare: true),
    ]

  private static let layer = "https://maps.norrvik.example/server/rest/services/Harbour/FeatureServer/0"

  private static func ends(_ result: ChallengeResult, isBare: Bool) -> SamplePage {
    let gets: PageContext = [
      [
        "name": "Norrvik Maps", "fields": "Authorization, X-Esri-Authorization", "signed_in_as": .text(hostile),
        "of_service": false, "by_proxy": false,
      ],
      ["name": "Keys", "fields": "", "signed_in_as": .none, "of_service": true, "by_proxy": true],
    ]
    let context: PageContext.Object = [
      "result": .choice(result), "resource": .text(layer), "target": "maps.norrvik.example",
      "asked_english": "", "asked": "maps.norrvik.example asks for an ArcGIS token.",
      "client_name": isBare ? .none : .text(hostile),
      "gets": isBare ? [] : gets, "raw_token": .flag(isBare), "by_proxy": .flag(!isBare),
      "connection": "work norrvik-maps",
      "to_allow": "Norrvik work account and Norrvik Maps",
      "again": .url("\(isBare ? "" : "/gate")/connect?resource=x"),
      "back": isBare ? .none : .url("/gate/consent?ticket=x"),
    ]
    return SamplePage(
      .challengeEnd, "\(result.rawValue)\(isBare ? ", bare" : "")", (isBare ? bare : [:]).merging(context))
  }
}
