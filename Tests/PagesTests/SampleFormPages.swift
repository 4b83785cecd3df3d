@testable import Pages

extension SamplePage {
  /// The forms by which people connect services that have no sign-in page.
  static let formPages: [SamplePage] = [
    SamplePage(
      .connectPassword, "full",
      maps.merging(form(["username": "", "password": "", "replace": ""], choices: ["keep": ["on"]])).merging([
        "back": .url("/gate/account"), "client_name": .text(hostile), "signed_in_as": "ana.lind",
        "address": "https://maps.norrvik.example/portal", "lifetime": "120 minutes", "offered": .none, "before": .none,
        "mark": .none,
      ])),
    SamplePage(
      .connectPassword, "errors",
      archive.merging(bare).merging(
        form(
          ["username": "ana.lind", "password": "", "replace": ""], choices: ["keep": ["on"]],
          errors: [
            ("password", "Survey archive does not accept this user name and password."), ("replace", "Tick the box."),
            ("username", "Enter your user name."),
          ])
      ).merging([
        "back": .url("/account"), "client_name": .none, "signed_in_as": .none,
        "address": "https://archive.norrvik.example", "lifetime": "1 minute", "offered": .text(hostile),
        "before": "ana.lind", "mark": "m4rk",
      ])),
    SamplePage(
      .connectToken, "full",
      maps.merging(form(["token": "", "expires": "", "referer": "", "replace": ""])).merging([
        "back": .url("/gate/account"), "client_name": .text(hostile), "signed_in_as": "ana.lind",
        "address": "https://maps.norrvik.example/portal", "lifetime": "120 minutes", "offered": .none, "before": .none,
        "mark": .none,
      ])),
    SamplePage(
      .connectToken, "errors",
      archive.merging(bare).merging(
        form(
          ["token": "", "expires": "tomorrow", "referer": "https://norrvik.example", "replace": ""],
          errors: [
            ("token", "Enter the token."), ("expires", "Enter a date and time."), ("replace", "Tick the box."),
            ("referer", "A referer has letters, digits and signs of a web address only."),
          ])
      ).merging([
        "back": .url("/account"), "client_name": .none, "signed_in_as": .none,
        "address": "https://archive.norrvik.example", "lifetime": "1 minute", "offered": .text(hostile),
        "before": "ana.lind", "mark": "m4rk",
      ])),
  ]
}
