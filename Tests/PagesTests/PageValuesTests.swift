import Testing

@testable import Pages

@Suite("Values of pages") struct PageValuesTests {
  @Test(
    "shows a time in UTC, for people and for machines",
    arguments: [
      (0, "1970-01-01T00:00Z", "1 January 1970, 00:00 UTC"), (-1, "1969-12-31T23:59Z", "31 December 1969, 23:59 UTC"),
      (951_782_400, "2000-02-29T00:00Z", "29 February 2000, 00:00 UTC"),
      (1_795_250_047, "2026-11-21T08:34Z", "21 November 2026, 08:34 UTC"),
      (4_107_542_399, "2100-02-28T23:59Z", "28 February 2100, 23:59 UTC"),
    ] as [(Int64, String, String)])
  func time(seconds: Int64, iso: String, text: String) {
    #expect(PageContext.time(seconds).member("iso") == .text(iso))
    #expect(PageContext.timeText(seconds) == text)
    #expect(PageContext.time(seconds).member("text")?.english == text)
  }

  @Test("shows a time to the second where it matters")
  func exactTime() {
    let (iso, text) = ("2026-11-21T08:34:07Z", "21 November 2026, 08:34:07 UTC")
    let time = PageContext.time(1_795_250_047, exact: true)
    #expect(time.member("iso") == .text(iso))
    #expect(time.member("text")?.english == text)
  }

  @Test("has no time when there is none")
  func noTime() { #expect(PageContext.time(ifAny: nil) == PageContext.none) }

  @Test("turns a choice into one flag per case")
  func choice() {
    #expect(
      PageContext.choice(SignOutPlan.delete) == ["revoke": false, "delete": true, "keep": false, "forget": false])
  }

  @Test("gives a form its values, its first error per field, and all errors for the summary")
  func form() {
    var form = PageForm()
    form.fill("name", with: "Ana")
    form.choose("grant", from: ["a", "b"], chosen: ["b"])
    #expect(!form.isRefused)
    form.refuse("name", "Too short.")
    form.refuse("name", "Taken.")
    form.refuse("", "Try later.")
    #expect(form.isRefused)
    #expect(
      PageContext.object(form.slots) == [
        "field": [
          "name": ["value": "Ana", "error": .words("Too short.")],
          "grant": ["value": "", "error": .none, "a": false, "b": true],
        ],
        "errors": [
          ["field": "name", "text": .words("Too short.")], ["field": "name", "text": .words("Taken.")],
          ["field": "", "text": .words("Try later.")],
        ],
      ])
  }
}

extension PageContext {
  fileprivate var english: String? { if case .words(let words) = self { words.english } else { nil } }
}
