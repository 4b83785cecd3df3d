import Testing

@testable import Pages

@Suite("Template") struct TemplateTests {
  @Test(
    "renders the examples of the Mustache specification, retyped",
    arguments: [
      ("Hello, {{subject}}!\n", ["subject": "world"], "Hello, world!\n"),
      ("{{a}}: {{b}}", ["a": "{{b}}", "b": "Earth"], "{{b}}: Earth"),
      ("\"{{a.b.name}}\"", ["a": ["b": ["name": "Phil"]]], "\"Phil\""),
      ("{{#a}}{{b.c}}{{/a}}", ["a": ["b": ["c": "in"]], "b": ["c": "out"]], "in"),
      ("{{#list}}{{n}}{{/list}}", ["list": [["n": "1"], ["n": "2"]]], "12"),
      ("{{#list}}({{.}}){{/list}}", ["list": ["a", "b"]], "(a)(b)"),
      ("{{#sec}}{{a}}, {{b}}{{/sec}}", ["a": "foo", "b": "wrong", "sec": ["b": "bar"]], "foo, bar"),
      ("{{^list}}none{{/list}}", ["list": []], "none"),
      ("| A {{#t}}B {{#t}}C{{/t}} D{{/t}} E |", ["t": false], "| A  E |"),
      ("| This Is\n  {{#t}}\n|\n  {{/t}}\n| A Line\n", ["t": true], "| This Is\n|\n| A Line\n"),
      ("|\r\n{{! alone }}\r\n|", [:], "|\r\n|"),
      ("12345 {{! inline }} 67890", [:], "12345  67890"),
      ("Begin.\n{{!\nSomething\n}}\nEnd.\n", [:], "Begin.\nEnd.\n"),
      ("|{{ padded }}|", ["padded": "---"], "|---|"),
    ] as [(String, PageContext, String)])
  func examples(source: String, context: PageContext, expected: String) throws {
    #expect(try render(source, with: context) == expected)
  }

  @Test(
    "puts partials, parents and their blocks in place",
    arguments: [
      ("\\\n {{>part}}\n/\n", ["part": "|\n{{content}}\n|\n"], "\\\n |\n x\n |\n/\n"),
      ("  {{content}}  {{> part}}\n", ["part": "-\n-"], "  x  -\n-\n"),
      ("{{<p}}{{$title}}mine{{/title}}{{/p}}", ["p": "...{{$title}}default{{/title}}..."], "...mine..."),
      ("{{<p}} dropped {{/p}}", ["p": "{{$title}}default {{content}}{{/title}}"], "default x"),
      (
        "{{<p}}{{$a}}c{{/a}}{{/p}}",
        ["p": "{{<older}}{{$a}}p{{/a}}{{/older}}", "older": "{{$a}}o{{/a}}"], "c"
      ),
    ])
  func partials(source: String, parts: [String: String], expected: String) throws {
    let parts = parts.mapValues { Array($0.utf8) }
    let template = try Template(Array(source.utf8), file: "t.html", partials: parts)
    #expect(String(decoding: try template.render(with: ["content": "x"]), as: UTF8.self) == expected)
  }

  @Test("escapes a value so that it can end neither an element nor a quoted attribute")
  func escapes() throws {
    let text = try render("<p title=\"{{a}}\">{{a}}</p>", with: ["a": "<b> & \"c\" 'd'"])
    let escaped = "&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"
    #expect(text == "<p title=\"\(escaped)\">\(escaped)</p>")
  }

  @Test(
    "refuses at load what could put an unescaped or unchecked value into a page",
    arguments: [
      ("a\n{{{raw}}}", 2, "unescaped"),
      ("a\n\n{{&raw}}", 3, "unescaped"),
      ("{{=<% %>=}}", 1, "Delimiters"),
      ("{{>*dynamic}}", 1, "no name"),
      ("<p>\n<p class={{a}}>", 2, "not here"),
      ("<p>\n<p class=a>", 2, "Quote"),
      ("<p {{a}}>", 1, "not here"),
      ("<{{a}}>", 1, "not here"),
      ("<!-- {{a}} -->", 1, "not here"),
      ("<p>\n\n<script src=\"/x\"></script>", 3, "<script>"), ("<script>a</script>", 1, "<script>"),
      ("<script src=\"{{a}}\">a</script>", 1, "<script>"), ("<script src=\"{{a}}x\"></script>", 1, "<script>"),
      ("<script src=\"{{a}}\">{{a}}</script>", 1, "<script>"), ("<script src=\"{{a}}\"><b>", 1, "<script>"),
      ("<script type=\"{{a}}\"></script>", 1, "<script>"), ("<script src=\"\"></script>", 1, "<script>"),
      ("{{#a}}<script src=\"{{a}}\">{{/a}}</script>", 1, "<script>"),
      ("<STYLE>", 1, "<style>"),
      ("<p onclick=\"{{a}}\">", 1, "onclick"),
      ("<p\nSTYLE='color:red'>", 2, "style"),
      ("<a href=\"mailto:{{a}}\">", 1, "before this slot"),
      ("<a href=\"{{a}}{{b}}\">", 1, "before this slot"),
      ("<p{{#a}}><b{{/a}} class=\"x\">", 1, "must end where it began"),
      ("<p title=\"{{#a}}\">{{/a}}", 1, "must end where it began"),
      ("<p {{#a}}on{{/a}}click=\"x\">", 1, "Put a space"),
      ("<{{#a}}b{{/a}}>", 1, "must end where it began"),
      ("<a href=\"{{#a}}/{{/a}}{{b}}\">", 1, "must end where it began"),
      ("<p title=\"", 0, "inside a tag"),
    ])
  func refusesUnsafe(source: String, line: Int, words: String) throws {
    try expectRefusal(of: source, line: line, words: words)
  }

  @Test(
    "says in which line a tag is broken",
    arguments: [
      ("a\n{{#open}}\n", 2, "never closed"),
      ("a\n{{/close}}", 2, "closes nothing"),
      ("{{#a}}\n{{#b}}\n{{/a}}{{/b}}", 3, "{{/b}} of line 2"),
      ("a\n{{no end", 2, "no end"),
      ("{{}}", 1, "no name"),
      ("{{a b}}", 1, "no name"),
      ("\n{{> nowhere}}", 2, "no part called"),
      ("{{> self}}", 1, "contains itself"),
    ])
  func refusesBroken(source: String, line: Int, words: String) throws {
    try expectRefusal(of: source, line: line, words: words)
  }

  @Test(
    "lets only http, https and own paths begin a link",
    arguments: [
      ("https://maps.example/a?b=c&d", "https://maps.example/a?b=c&amp;d"),
      ("http://localhost:1", "http://localhost:1"),
      ("/gate/account", "/gate/account"), ("?after=1", "?after=1"), ("#main", "#main"), ("", ""),
    ])
  func safeLinks(link: String, expected: String) throws {
    #expect(try render("<a href=\"{{u}}\">", with: ["u": .url(link)]) == "<a href=\"\(expected)\">")
  }

  @Test(
    "refuses to render any other link, also where it is only text",
    arguments: [
      "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", " https://a", "java\tscript:a",
      "//evil.example",
      "/\\evil.example", "relative", "https:evil", "\u{0}javascript:a",
    ])
  func unsafeLinks(link: String) {
    #expect(throws: TemplateError.self) { try render("<a href=\"{{u}}\">", with: ["u": .url(link)]) }
    #expect(throws: TemplateError.self) { try render("<p>{{u}}</p>", with: ["u": .url(link)]) }
  }

  @Test("refuses a plain text where a link begins, and a link inside a link")
  func linkKinds() {
    #expect(throws: TemplateError.self) { try render("<a href='{{u}}'>", with: ["u": "https://a.example"]) }
    #expect(throws: TemplateError.self) { try render("<a href='/x/{{u}}'>", with: ["u": .url("/a")]) }
  }

  @Test("percent-encodes a piece of a link, so that it cannot add a segment or a parameter")
  func linkPieces() throws {
    let text = try render(
      "<a href=\"{{base}}/c/{{id}}?r={{r}}\">", with: ["base": .url(""), "id": "a/../b", "r": "x&y=é"])
    #expect(text == "<a href=\"/c/a%2F..%2Fb?r=x%26y%3D%C3%A9\">")
  }

  @Test("refuses a slot without a value, and names it with its line")
  func undefined() throws {
    let template = try Template(Array("a\n{{#s}}{{t}}{{/s}}".utf8), file: "t.html")
    let error = #expect(throws: TemplateError.self) { try template.render(with: ["s": ["x": ""]]) }
    #expect(error?.place == TemplatePlace(file: "t.html", line: 2))
    #expect(error?.message.contains("t has no value") == true)
    #expect(try template.render(with: [:], undefined: .empty) == Array("a\n".utf8))
  }

  @Test("refuses a value of the wrong kind", arguments: [true, [], [:]] as [PageContext])
  func wrongKind(value: PageContext) {
    #expect(throws: TemplateError.self) { try render("{{a}}", with: ["a": value]) }
  }

  @Test("lets a section hold whole attributes", arguments: [true, false])
  func attributes(flag: Bool) throws {
    let source = "<input{{#a}} checked{{/a}}><b title=\"x{{#a}} y{{/a}}\"{{^a}} hidden{{/a}}></b>"
    let expected = flag ? "<input checked><b title=\"x y\"></b>" : "<input><b title=\"x\" hidden></b>"
    #expect(try render(source, with: ["a": .flag(flag)]) == expected)
  }

  @Test("asks a list whether it has items, without repeating")
  func listAny() throws {
    let source = "{{#a.any}}[{{#a}}{{.}}{{/a}}]{{/a.any}}{{^a.any}}none{{/a.any}}"
    #expect(try render(source, with: ["a": ["1", "2"]]) == "[12]")
    #expect(try render(source, with: ["a": []]) == "none")
  }

  @Test("lists every slot once, with its use and the sections around it")
  func slots() throws {
    let source = "<a href=\"{{base}}/x\">{{#s}}{{t}}{{t}}{{/s}}{{^s}}{{u}}{{/s}}</a>"
    let slots = try Template(Array(source.utf8), file: "t.html").slots
    #expect(
      slots == [
        Slot(name: "base", use: .link, sections: []), Slot(name: "s", use: .section, sections: []),
        Slot(name: "t", use: .text, sections: ["s"]), Slot(name: "u", use: .text, sections: []),
      ])
  }

  private func render(_ source: String, with context: PageContext) throws -> String {
    String(decoding: try Template(Array(source.utf8), file: "t.html").render(with: context), as: UTF8.self)
  }

  private func expectRefusal(of source: String, line: Int, words: String) throws {
    let error = #expect(throws: TemplateError.self) {
      try Template(Array(source.utf8), file: "t.html", partials: ["self": Array("{{> self}}".utf8)])
    }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    #expect(error?.place.line == line)
  }
}
