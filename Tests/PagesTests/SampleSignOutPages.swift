@testable import Pages

extension SamplePage {
  static let signOutPages: [SamplePage] = [
    SamplePage(
      .signOut, "full",
      [
        "unattended": true,
        "other_sessions": "1", "administrator_name": .text(hostile),
        "services": plans,
      ]),
    SamplePage(
      .signOut, "bare",
      bare.merging(["other_sessions": .none, "administrator_name": .none, "services": [], "unattended": false])),
    SamplePage(
      .signOutReport, "full",
      [
        "all_done": false, "steps_left": true, "other_sessions": "1", "administrator_name": "Root",
        "services": results,
      ]),
    SamplePage(
      .signOutReport, "bare",
      bare.merging([
        "all_done": true, "steps_left": false, "other_sessions": .none, "administrator_name": .none, "services": [],
        "unattended": false,
      ])),
    SamplePage(
      .signedOut, "full", ["return_url": .url("https://viewer.norrvik.example/"), "client_name": "Norrvik Map Viewer"]),
    SamplePage(.signedOut, "bare", ["return_url": .none, "client_name": .none]),
    SamplePage(
      .endSession, "by an app",
      [
        "client_name": "Norrvik Map Viewer", "account_name": "Åsa Öberg",
        "fields": [["name": "post_logout_redirect_uri", "value": "https://viewer.norrvik.example/out"]],
      ]),
    SamplePage(.endSession, "by nobody known", ["client_name": .none, "account_name": "Åsa Öberg", "fields": []]),
    SamplePage(
      .adminAccountSignOut, "full", ["id": "a_2", "name": .text(hostile), "sessions": "2", "services": plans]),
    SamplePage(
      .adminAccountSignOut, "bare", bare.merging(["id": "a_2", "name": "Bo", "sessions": "0", "services": []])),
    SamplePage(
      .adminAccountSignedOut, "full",
      ["id": "a_2", "name": .text(hostile), "sessions": "2", "all_done": false, "services": results]),
    SamplePage(
      .adminAccountSignedOut, "bare",
      bare.merging(["id": "a_2", "name": "Bo", "sessions": "0", "all_done": true, "services": []])),
  ]

  /// Services with every plan for them.
  private static let plans: PageContext = items(
    maps.merging(["plan": .choice(SignOutPlan.revoke), "endless": true, "own_page": true]),
    archive.merging(["plan": .choice(SignOutPlan.delete), "endless": true, "own_page": false]),
    work.merging(["plan": .choice(SignOutPlan.forget), "endless": true, "own_page": false]),
    work.merging(["plan": .choice(SignOutPlan.keep), "endless": true, "own_page": false]))

  /// Services with everything that can have become of them.
  private static let results: PageContext = items(
    maps.merging([
      "result": .choice(SignOutResult.retrying), "ends": noon, "endless": true, "federated_ends": noon,
      "sign_out_url": .url("https://maps.norrvik.example/portal/sharing/rest/oauth2/signout?client_id=a&b=c"),
      "proxy_name": "Norrvik Proxy",
    ]),
    work.merging([
      "result": .choice(SignOutResult.revoked), "ends": .none, "endless": true, "federated_ends": .none,
      "sign_out_url": .none, "proxy_name": .none,
    ]),
    archive.merging([
      "result": .choice(SignOutResult.deleted), "ends": .none, "endless": true, "federated_ends": .none,
      "sign_out_url": .none, "proxy_name": .none,
    ]),
    work.merging([
      "result": .choice(SignOutResult.forgotten), "ends": .none, "endless": false, "federated_ends": .none,
      "sign_out_url": .none, "proxy_name": .none,
    ]),
    work.merging([
      "result": .choice(SignOutResult.failed), "ends": noon, "endless": true, "federated_ends": .none,
      "sign_out_url": .none, "proxy_name": .none,
    ]),
    work.merging([
      "result": .choice(SignOutResult.kept), "ends": .none, "endless": true, "federated_ends": .none,
      "sign_out_url": .none, "proxy_name": .none,
    ]))
}
