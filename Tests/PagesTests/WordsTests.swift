import Testing

@testable import Pages

@Suite("Words in a language") struct WordsTests {
  private let german = Catalogue(
    language: "de",
    messages: [
      "%1 does not answer": ["Keine Antwort von %1"], "%1 needs %2.": ["%2 wird von %1 gebraucht."],
      "a token": ["ein Token"], "%1 day": ["%1 Tag", "%1 Tage"], "It ends in %1.": ["Es endet in %1."],
      "100 %1": ["%2 hundert %1 %"],
    ])

  @Test("puts the values where the language wants them, and values that are words in its words")
  func values() {
    let (name, thing): (String, Words) = ("Maps", "a token")
    #expect(german.text(of: "\(name) does not answer") == "Keine Antwort von Maps")
    #expect(german.text(of: "\(name) needs \(thing).") == "ein Token wird von Maps gebraucht.")
    #expect(Catalogue.english.text(of: "\(name) needs \(thing).") == "Maps needs a token.")
    #expect(german.text(of: "100 \(name)") == "%2 hundert Maps %", "what is no place stays")
  }

  @Test("never reads a value as words or as a place")
  func hostileValues() {
    #expect(german.text(of: "\("%1 %2") does not answer") == "Keine Antwort von %1 %2")
    #expect(german.text(of: "\("a token") does not answer") == "Keine Antwort von a token")
  }

  @Test("says in English what is not translated")
  func untranslated() {
    #expect(german.text(of: "Nobody said this to \("Ana").") == "Nobody said this to Ana.")
  }

  @Test("joins literals to one message")
  func joined() {
    let (one, other) = ("A", "B")
    let words: Words = "First \(one), " + "then \(other) and \(one)."
    #expect(words.key == "First %1, then %2 and %3.")
    #expect(words.english == "First A, then B and A.")
    #expect(Words.all(["A", "B", "C"]).english == "A and B and C")
    #expect(Words.alternatives(["A"]).english == "A")
    #expect(Words.all([String]()).english.isEmpty)
  }

  @Test("counts as the language does", arguments: [(0, "0 Tage"), (1, "1 Tag"), (2, "2 Tage")])
  func counts(number: Int, told: String) {
    #expect(german.text(of: .counting(number, "day")) == told)
    #expect(german.text(of: "It ends in \(Words.counting(number, "day")).") == "Es endet in \(told).")
    #expect(Words.counting(number, "hour").english == (number == 1 ? "1 hour" : "\(number) hours"))
  }

  /// The numbers and forms of the GNU gettext manual's rules.
  @Test(
    "knows the plural forms",
    arguments: [
      ("de", 0, 1), ("de", 1, 0), ("fr", 0, 0), ("fr", 1, 0), ("fr", 2, 1), ("ar", 0, 0), ("ar", 1, 1), ("ar", 2, 2),
      ("ar", 3, 3), ("ar", 10, 3), ("ar", 11, 4), ("ar", 99, 4), ("ar", 100, 5), ("ar", 102, 5), ("ar", 103, 3),
    ])
  func forms(language: String, number: Int64, form: Int) {
    let rule = PluralRule(language: language)
    #expect(rule.form(for: number) == form)
    #expect(rule.form(for: number) < rule.forms)
  }
}

@Suite("Catalogue files") struct CatalogueFileTests {
  @Test("reads texts over several lines, escapes and plurals, and leaves out what is not translated")
  func reads() throws {
    let messages = try CatalogueFile.read(
      """
      # A comment
      msgid ""
      msgstr "Language: de\\n"

      msgid "One"
      msgstr ""
      "Ei"
      "ns \\"hier\\"\\n"
      #: a/place.swift:1
      msgid "%1 day"
      msgid_plural "%1 days"
      msgstr[0] "%1 Tag"
      msgstr[1] "%1 Tage"

      msgid "Not yet"
      msgstr ""

      #, fuzzy
      msgid "Perhaps"
      msgstr "Vielleicht"
      """.bytes, file: "de.po")
    #expect(messages == ["One": ["Eins \"hier\"\n"], "%1 day": ["%1 Tag", "%1 Tage"]])
  }

  @Test(
    "says which line is wrong",
    arguments: [
      ("msgid \"A\"\nmsgstr B", 2), ("\"A\"", 1), ("msgid \"A\"\nmsgstr \"\\x\"", 2), ("msgctxt \"A\"", 1),
      ("msgid \"A\"\nmsgstr \"B\"\nmsgid \"A\"\nmsgstr \"C\"\n\n", 6),
      ("msgid \"A\"\nmsgid_plural \"B\"\nmsgstr[1] \"C\"", 3),
      ("msgid \"", 1),
    ])
  func mistakes(text: String, line: Int) {
    let error = #expect(throws: TemplateError.self) { try CatalogueFile.read(text.bytes, file: "de.po") }
    #expect(error?.place == TemplatePlace(file: "de.po", line: line))
  }
}

extension String {
  fileprivate var bytes: [UInt8] { Array(utf8) }
}
