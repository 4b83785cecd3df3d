import Testing

@testable import Pages

@Suite("Pages in other languages") struct LanguageTests {
  private static let files: PageFiles = {
    var files = PageFiles(directory: PageLibraryTests.root + "/Public/pages")
    files.addCatalogues(of: PageLibraryTests.root + "/Public/languages")
    return files
  }()

  private static let library = Result { try PageLibrary(files: files) }

  private static let forPeople = SamplePage.all.filter(\.page.isForPeople)

  @Test("are offered in English, Arabic, German, Spanish and French")
  func offered() throws {
    let library = try Self.library.get()
    #expect(library.languages == ["en", "ar", "de", "es", "fr"])
    #expect(library.language(of: .signIn, wanted: "de") == "de")
    #expect(library.language(of: .signIn, wanted: "xx") == "en")
    #expect(library.language(of: .adminOverview, wanted: "de") == "en")
  }

  @Test("say everything that the English ones do", arguments: files.catalogues.map(\.language))
  func complete(language: String) throws {
    let catalogue = try #require(Self.files.catalogues.first { $0.language == language })
    for message in Self.files.messages { #expect(catalogue.forms(of: message) != nil, "\(message)") }
  }

  @Test("have the same slots as the English ones, and render", arguments: files.catalogues.map(\.language))
  func sameSlots(language: String) throws {
    let library = try Self.library.get()
    let catalogue = try #require(Self.files.catalogues.first { $0.language == language })
    let translated = Self.files.translated(by: catalogue)
    for page in PageName.forPeople {
      let source = try #require(translated.pages[page.file])
      let template = try Template(source, file: page.file, partials: translated.parts)
      #expect(Set(template.slots) == Set(library.slots(of: page)), "\(page.file)")
    }
    for sample in Self.forPeople {
      let html = String(decoding: try library.render(sample.page, with: sample.context, in: language), as: UTF8.self)
      #expect(html.contains("<html lang=\"\(language)\" dir=\"\(language == "ar" ? "rtl" : "ltr")\">"))
    }
  }

  private static let disguisedLibrary = Result {
    var messages: [String: [String]] = [:]
    for message in files.messages { messages[message] = [disguised(message)] }
    return try PageLibrary(
      files: PageFiles(
        pages: files.pages, parts: files.parts, catalogues: [Catalogue(language: "xx", messages: messages)]))
  }

  /// Every message in other letters: whatever is read in ours on such a page is in no catalogue.
  @Test("leave nothing in English", arguments: forPeople)
  func pseudoLocale(sample: SamplePage) throws {
    guard case .object(let context) = PageContext.object(sample.context).withoutLetters else { return }
    let html = String(
      decoding: try Self.disguisedLibrary.get().render(sample.page, with: context, in: "xx"), as: UTF8.self)
    // A program reads this title.
    let words = html.replacing("<title>SUCCESS code=", with: "<title>").readWords
    #expect(words.isEmpty, "\(words)")
  }

  /// The message with each letter of its words replaced; tags, slots and character references stay.
  private static func disguised(_ message: String) -> String {
    var isReference = false
    return MarkupToken.tokens(of: Array(message.utf8)).map { token in
      guard token.kind == .text else { return token.source }
      return String(
        token.source.map { character in
          if character == "&" { isReference = true }
          defer { if character == ";" { isReference = false } }
          return character.isLetter && !isReference ? "ж" : character
        })
    }.joined()
  }
}

extension PageContext {
  /// The value with digits in the place of every text.
  fileprivate var withoutLetters: PageContext {
    switch self {
    case .text(let text): .text(text.isEmpty ? "" : "7")
    case .words: .text("7")
    case .list(let items): .list(items.map(\.withoutLetters))
    case .object(let object): .object(Object(object.members.mapValues(\.withoutLetters)))
    case .none, .flag, .url: self
    }
  }
}

extension String {
  /// The words in Latin letters that somebody reads or hears on a page, but for code.
  fileprivate var readWords: [String] {
    var words: [String] = []
    var isCode = false
    var isHidden = false
    for token in MarkupToken.tokens(of: Array(utf8)) {
      switch token.kind {
      case .begin("code"): isCode = true
      case .end("code"): isCode = false
      case .begin("p"): isHidden = token.source == "<p hidden>"
      case .end("p"): isHidden = false
      case .begin:
        for name in ["alt", "aria-label", "data-label", "placeholder", "title"] {
          words += token.source.values(of: name).flatMap(\.latinWords)
        }
      case .text: if !isCode, !isHidden { words += token.source.latinWords }
      default: break
      }
    }
    return words
  }

  private var latinWords: [String] {
    replacing("&#39;", with: "").replacing("&quot;", with: "").replacing("&amp;", with: "").replacing("&lt;", with: "")
      .replacing("&gt;", with: "").split { !$0.isASCII || !$0.isLetter }.map(String.init)
  }
}
