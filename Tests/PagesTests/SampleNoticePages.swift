@testable import Pages

extension SamplePage {
  static let brokenNotice: PageContext.Object = [
    "id": "note_1", "text": "Survey archive no longer accepts the stored sign-in.", "place": .none, "advice": .none,
    "link": .url("/gate/connect/archive"), "urgent": true, "unread": true, "time": noon,
  ]
  static let browserNotice: PageContext.Object = [
    "id": "note_2", "text": .text("The passkey “\(hostile)” was added to your account."),
    "place": "Firefox on Linux, from 192.0.2.7", "advice": "If that was not you, change your password.",
    "link": .url("/gate/account/security"), "urgent": false, "unread": false, "time": noon,
  ]

  static let noticePages: [SamplePage] = [
    SamplePage(
      .accountNotices, "full",
      [
        "notices": items(brokenNotice, browserNotice), "any_unread": true,
        "pager": [
          "shown": "31 to 60", "first": .url("/gate/account/notices"), "next": .url("/gate/account/notices?skip=60"),
        ],
      ]),
    SamplePage(
      .adminWebhooks, "full",
      form(["webhook_url": hostile], errors: [("webhook_url", "The address must be an https URL.")]).merging([
        "new_secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "tested": .text(hostile),
        "webhooks": items([
          "id": "hook_1", "url": .text("https://\(hostile)"), "events": "credential.broken", "made": noon,
          "messages": items(
            [
              "event": "test", "attempts": .text("1"), "answer": "200", "time": noon, "delivered": true,
              "failed": false,
            ],
            [
              "event": "test", "attempts": .text("3"), "answer": .none, "time": noon, "delivered": false,
              "failed": true,
            ],
            [
              "event": "test", "attempts": .text("3"), "answer": .text(hostile), "time": noon, "delivered": false,
              "failed": false,
            ]),
        ]),
        "events": items(["value": "credential.broken", "meaning": "It broke.", "checked": true]),
      ])),
    SamplePage(
      .adminWebhooks, "bare",
      bare.merging(form(["webhook_url": ""])).merging([
        "new_secret": .none, "tested": .none,
        "webhooks": items([
          "id": "hook_1", "url": "https://a.example", "events": "credential.broken", "made": noon, "messages": [],
        ]), "events": items(["value": "credential.broken", "meaning": "It broke.", "checked": false]),
      ])),
    SamplePage(
      .adminWebhooks, "none",
      form(["webhook_url": ""]).merging(["new_secret": .none, "tested": .none, "webhooks": [], "events": []])),
    SamplePage(
      .accountNotices, "bare", bare.merging(["notices": [], "any_unread": false, "pager": .none])),
  ]
}
