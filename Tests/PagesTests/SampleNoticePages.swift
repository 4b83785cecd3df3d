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
      .accountNotices, "bare", bare.merging(["notices": [], "any_unread": false, "pager": .none])),
  ]
}
