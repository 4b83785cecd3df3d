import Testing

@testable import Pages

@Suite("The messages of a template") struct TemplateMessagesTests {
  @Test(
    "are what an element says, with the slots and sections of its sentence",
    arguments: [
      ("<p>Sign in</p>", ["Sign in"]),
      ("<p>Sign in{{#app}} to <bdi>{{app}}</bdi>{{/app}}.</p>", ["Sign in{{#app}} to <bdi>{{app}}</bdi>{{/app}}."]),
      ("<li>{{> icon-ok}} Ready</li>", ["Ready"]),
      ("<p>Until {{> time}}</p>", ["Until {{> time}}"]),
      ("<p>{{> time}}</p><b>{{name}}</b>", []),
      ("<p><a href=\"/{{id}}\">Go on</a></p>", ["Go on"]),
      ("<p><a href=\"/{{id}}\">Go on</a> or stay.</p>", ["<a href=\"/{{id}}\">Go on</a> or stay."]),
      ("<p>{{#a}}One{{/a}}{{^a}}Other{{/a}}</p>", ["One", "Other"]),
      ("{{#list}}\n<li>Item</li>\n{{/list}}", ["Item"]),
      ("<label>Keep it<span class=\"help\">Until tomorrow</span></label>", ["Keep it", "Until tomorrow"]),
      ("<p>Two\n  lines</p>", ["Two lines"]),
      ("<p>&amp; &#8226;</p>", []),
      ("<p>Type <code>make</code></p><code>make</code>", ["Type <code>make</code>"]),
      ("<td data-label=\"When\" class=\"small\">{{x}}</td>", ["When"]),
      ("<img alt=\"\" src=\"x\"><input placeholder=\"Name\"{{#error}} aria-invalid=\"true\"{{/error}}>", ["Name"]),
      (
        "{{<field}}{{$id}}name{{/id}}{{$label}}Your name{{/label}}{{$attributes}} type=\"text\"{{/attributes}}{{/field}}",
        ["Your name"]
      ),
      ("<p>A<br>B</p>", ["A<br>B"]),
      ("<!-- Nothing --><p>{{! Nothing }}</p>", []),
      ("<p>1 < 2 and so on", ["1 < 2 and so on"]),
      ("<div><p>Open", ["Open"]),
    ])
  func found(source: String, messages: [String]) {
    #expect(TemplateMessages.messages(of: Array(source.utf8)) == messages)
  }

  @Test("are replaced where they stand, and nothing else is")
  func replaced() {
    let source = "<p class=\"a\">\n{{> icon-ok}}Hello <b>{{name}}</b>\n</p><a title=\"Hello\" href=\"/Hello\">Hello</a>"
    let messages = ["Hello <b>{{name}}</b>": "<b>{{name}}</b>, hallo", "Hello": "Hallo"]
    let translated = TemplateMessages.translated(Array(source.utf8)) { messages[$0] ?? $0 }
    #expect(
      String(decoding: translated, as: UTF8.self)
        == "<p class=\"a\">\n{{> icon-ok}}<b>{{name}}</b>, hallo\n</p><a title=\"Hallo\" href=\"/Hello\">Hallo</a>")
  }

  @Test("give the template again when they stay, but for the lines of a message")
  func unchanged() {
    let files = PageFiles(directory: PageLibraryTests.root + "/Public/pages")
    for (name, source) in files.pages.merging(files.parts, uniquingKeysWith: { page, _ in page }) {
      let same = TemplateMessages.translated(source) { $0 }
      #expect(Self.words(same) == Self.words(source), "\(name)")
    }
  }

  private static func words(_ source: [UInt8]) -> [Substring] {
    String(decoding: source, as: UTF8.self).split(whereSeparator: \.isWhitespace)
  }
}
