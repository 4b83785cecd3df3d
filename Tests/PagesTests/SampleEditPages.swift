@testable import Pages

extension SamplePage {
  private static let texts = [
    "name": "Norrvik Maps", "client_secret": "", "resources": hostile, "networks": "10.20.0.0/16", "admitted": hostile,
    "scopes": "openid reports:read", "refresh_token_lifetime": "-1", "exchange_interval": "48",
    "federated_minutes": "30", "token_minutes": "120", "locale": "sv",
  ]

  private static let choices = [
    "admission": ["invited", "listed", "anyone"], "page_style": ["light", "dark"], "allow_http": ["on"],
    "force_login": ["on"],
  ]

  /// The forms that change what is there.
  static var editPages: [SamplePage] {
    let all: PageContext.Object = [
      "id": "norrvik-maps", "shown_name": .text(hostile), "has_secret": true, "in_browser": true, "has_scopes": true,
      "at_portal": true, "by_oauth": true, "by_token": true,
    ]
    let none: PageContext.Object = [
      "id": "work", "shown_name": "Work", "has_secret": false, "in_browser": false, "has_scopes": false,
      "at_portal": false, "by_oauth": false, "by_token": false,
    ]
    let wrong = (Array(texts.keys) + ["admission", "page_style"]).sorted().map { ($0, "This is wrong.") }
    return [
      SamplePage(.adminConnectionEdit, "full", form(texts, choices: choices).merging(all)),
      SamplePage(.adminConnectionEdit, "errors", form(texts, choices: choices, errors: wrong).merging(all)),
      SamplePage(.adminConnectionEdit, "bare", bare.merging(form(texts, choices: choices)).merging(none)),
    ]
  }
}
