@testable import Pages

extension SamplePage {
  private static let kept = ["sign_out", "browser", "date"]
  static let keeping = form(["kept_until": ""], choices: ["kept": kept])
  static let keepingErrors = form(
    ["kept_until": "soon"], choices: ["kept": kept],
    errors: [("kept", "Choose how long it is kept."), ("kept_until", "This day is over.")])

  /// The forms by which people connect services that have no sign-in page.
  static let formPages: [SamplePage] = [
    SamplePage(
      .connect, "full",
      maps.merging(keepingErrors).merging([
        "kept_days": "90 days",
        "back": .url("/gate/account"), "step": .choice(ConnectStep.connect), "client_name": .text(hostile),
        "signed_in_as": "ana.lind",
        "raw_token": true,
      ])),
    SamplePage(
      .connect, "bare",
      archive.merging(bare).merging(keeping).merging([
        "kept_days": .none,
        "back": .url("/gate/account"), "step": .choice(ConnectStep.connect), "client_name": .none,
        "signed_in_as": .none, "raw_token": false,
      ])),
    SamplePage(
      .connect, "allow",
      maps.merging(keeping).merging([
        "kept_days": .none,
        "back": .url("/gate/account"), "step": .choice(ConnectStep.allow), "client_name": "Norrvik Map Viewer",
        "signed_in_as": "ana.lind",
        "raw_token": true,
      ])),
    SamplePage(
      .connect, "allow, through the proxy",
      archive.merging(keeping).merging([
        "kept_days": .none,
        "back": .url("/gate/account"), "step": .choice(ConnectStep.allow), "client_name": "Norrvik Map Viewer",
        "signed_in_as": .none,
        "raw_token": false,
      ])),
    SamplePage(
      .connect, "done",
      maps.merging(keeping).merging([
        "kept_days": .none,
        "back": .url("/gate/account"), "step": .choice(ConnectStep.done), "client_name": "Norrvik Map Viewer",
        "signed_in_as": "ana.lind",
        "raw_token": true,
      ])),
    SamplePage(
      .connectPassword, "full",
      maps.merging(
        form(
          ["username": "", "password": "", "replace": "", "kept_until": ""], choices: ["keep": ["on"], "kept": kept])
      ).merging([
        "back": .url("/gate/account"), "client_name": .text(hostile), "signed_in_as": "ana.lind",
        "kept_days": "90 days", "address": "https://maps.norrvik.example/portal", "lifetime": "120 minutes",
        "offered": .none, "before": .none,
        "mark": .none,
      ])),
    SamplePage(
      .connectPassword, "errors",
      archive.merging(bare).merging(
        form(
          ["username": "ana.lind", "password": "", "replace": "", "kept_until": "soon"],
          choices: ["keep": ["on"], "kept": kept],
          errors: [
            ("password", "Survey archive does not accept this user name and password."), ("replace", "Tick the box."),
            ("username", "Enter your user name."), ("kept", "Choose."), ("kept_until", "This day is over."),
          ])
      ).merging([
        "back": .url("/account"), "client_name": .none, "signed_in_as": .none,
        "kept_days": .none, "address": "https://archive.norrvik.example", "lifetime": "1 minute",
        "offered": .text(hostile),
        "before": "ana.lind", "mark": "m4rk",
      ])),
    SamplePage(
      .connectLogin, "full",
      maps.merging(form(["username": "", "password": "", "replace": "", "kept_until": ""], choices: ["kept": kept]))
        .merging([
          "back": .url("/gate/account"), "client_name": .text(hostile), "signed_in_as": "ana.lind",
          "address": "https://maps.norrvik.example/server/rest", "realm": .text(hostile), "scheme": "Windows (NTLM)",
          "windows": true, "kept_days": "90 days", "offered": .none, "before": .none, "mark": .none,
        ])),
    SamplePage(
      .connectLogin, "errors",
      archive.merging(bare).merging(
        form(
          ["username": "ana.lind", "password": "", "replace": "", "kept_until": "soon"],
          choices: ["kept": kept],
          errors: [
            ("password", "Survey archive does not accept this user name and password."), ("replace", "Tick the box."),
            ("username", "Enter your user name."), ("kept", "Choose."), ("kept_until", "This day is over."),
          ])
      ).merging([
        "back": .url("/account"), "client_name": .none, "signed_in_as": .none,
        "address": "https://archive.norrvik.example", "realm": .none, "scheme": "HTTP Basic", "windows": false,
        "kept_days": .none,
        "offered": .text(hostile), "before": "ana.lind", "mark": "m4rk",
      ])),
    SamplePage(
      .connectKerberos, "full",
      maps.merging(
        form(
          ["username": "", "password": "", "replace": "", "kept_until": "", "keytab": ""], choices: ["kept": kept])
      ).merging([
        "back": .url("/gate/account"), "client_name": .text(hostile), "signed_in_as": "ana.lind",
        "address": "https://maps.norrvik.example/server/rest", "kerberos_realm": "NORRVIK.EXAMPLE",
        "kept_days": "90 days", "offered": .none, "before": .none, "mark": .none,
      ])),
    SamplePage(
      .connectKerberos, "errors",
      archive.merging(bare).merging(
        form(
          ["username": "ana.lind", "password": "", "replace": "", "kept_until": "soon", "keytab": ""],
          choices: ["kept": kept],
          errors: [
            ("password", "The realm does not accept it."), ("replace", "Tick the box."), ("keytab", "No keytab."),
            ("username", "Enter your user name."), ("kept", "Choose."), ("kept_until", "This day is over."),
          ])
      ).merging([
        "back": .url("/account"), "client_name": .none, "signed_in_as": .none,
        "address": "https://archive.norrvik.example", "kerberos_realm": .text(hostile), "kept_days": .none,
        "offered": .text(hostile), "before": "ana.lind", "mark": "m4rk",
      ])),
    SamplePage(
      .connectToken, "full",
      maps.merging(
        form(["token": "", "expires": "", "referer": "", "replace": "", "kept_until": ""], choices: ["kept": kept])
      ).merging([
        "back": .url("/gate/account"), "client_name": .text(hostile), "signed_in_as": "ana.lind",
        "kept_days": "90 days", "address": "https://maps.norrvik.example/portal", "lifetime": "120 minutes",
        "offered": .none, "before": .none,
        "mark": .none,
      ])),
    SamplePage(
      .connectToken, "errors",
      archive.merging(bare).merging(
        form(
          [
            "token": "", "expires": "tomorrow", "referer": "https://norrvik.example", "replace": "",
            "kept_until": "soon",
          ],
          choices: ["kept": kept],
          errors: [
            ("token", "Enter the token."), ("kept", "Choose."), ("kept_until", "This day is over."),
            ("expires", "Enter a date and time."), ("replace", "Tick the box."),
            ("referer", "A referer has letters, digits and signs of a web address only."),
          ])
      ).merging([
        "back": .url("/account"), "client_name": .none, "signed_in_as": .none,
        "kept_days": .none, "address": "https://archive.norrvik.example", "lifetime": "1 minute",
        "offered": .text(hostile),
        "before": "ana.lind", "mark": "m4rk",
      ])),
    SamplePage(
      .connectCertificate, "full",
      maps.merging(
        form(
          ["file": "", "passphrase": "", "replace": "", "kept_until": ""],
          choices: ["any_authority": ["on"], "kept": kept])
      ).merging([
        "back": .url("/gate/account"), "client_name": .text(hostile), "signed_in_as": "CN=Ana Lind",
        "kept_days": "90 days",
        "address": "https://maps.norrvik.example/portal", "offered": .none, "before": .none, "mark": .none,
        "other_authority": false,
      ])),
    SamplePage(
      .connectCertificate, "errors",
      archive.merging(bare).merging(
        form(
          ["file": "", "passphrase": "", "replace": "", "kept_until": "soon"],
          choices: ["any_authority": ["on"], "kept": kept],
          errors: [
            ("file", "This certificate ended on 2026-01-31."), ("replace", "Tick the box."),
            ("passphrase", "The passphrase does not open this file."),
            ("any_authority", "Survey archive accepts certificates of CN=Norrvik."),
          ])
      ).merging([
        "back": .url("/account"), "client_name": .none, "signed_in_as": .none,
        "address": "https://archive.norrvik.example", "offered": .text(hostile), "before": "CN=Ana Lind",
        "kept_days": .none,
        "mark": "m4rk", "other_authority": true,
      ])),
  ]
}
