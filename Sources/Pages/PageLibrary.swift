import Synchronization

/// Every page of the installation, compiled: `NAME.html` for each ``PageName``, and `parts/*.html` that they share; in
/// English as they are written, and in each language that there is a catalogue for.
///
/// ```swift
/// let pages = try PageLibrary(directory: "Public/pages", languages: "Public/languages")
/// let html = try pages.render(.signIn, with: context, in: "de")
/// ```
public final class PageLibrary: Sendable {
  private let files: PageFiles
  private let templates: [PageName: Template]
  private let catalogues: [String: Catalogue]
  /// The tags of the languages that pages for people can be read in; English first.
  public let languages: [String]
  /// The pages for people in other languages, compiled when somebody first reads one.
  private let translations = Mutex<[String: [PageName: Template]]>([:])

  /// Reads and compiles all pages, and reads the catalogues `languages/*.po`.
  ///
  /// - Parameters:
  ///   - directory: A path, absolute or relative to the working directory.
  ///   - languages: The folder of catalogues; without one there is English alone.
  /// - Throws: ``PageLoadFailure`` with every mistake found: a missing page, an HTML file that is no page, an
  ///   unreadable file or catalogue, and the mistakes of ``Template/init(_:file:partials:)``.
  public convenience init(directory: String, languages: String? = nil) throws(PageLoadFailure) {
    var files = PageFiles(directory: directory)
    if let languages { files.addCatalogues(of: languages) }
    try self.init(files: files)
  }

  init(files: PageFiles) throws(PageLoadFailure) {
    var problems = files.problems
    var templates: [PageName: Template] = [:]
    for name in files.pages.keys.sorted() where !PageName.all.contains(where: { $0.file == name }) {
      problems.append(TemplateError(TemplatePlace(file: name + ".html", line: 0), "There is no page of this name."))
    }
    var resolver = TemplateResolver(partials: files.parts)
    for page in PageName.all {
      do throws(TemplateError) {
        templates[page] = try Self.template(page, files, &resolver)
      } catch { problems.append(error) }
    }
    guard problems.isEmpty else { throw PageLoadFailure(problems: problems) }
    self.files = files
    self.templates = templates
    catalogues = Dictionary(uniqueKeysWithValues: files.catalogues.map { ($0.language, $0) })
    languages = ["en"] + catalogues.keys.sorted()
  }

  private static func template(
    _ page: PageName, _ files: PageFiles, _ resolver: inout TemplateResolver
  ) throws(TemplateError) -> Template {
    let file = page.file + ".html"
    guard let source = files.pages[page.file] else {
      throw TemplateError(TemplatePlace(file: file, line: 0), "This page is missing from the folder of pages.")
    }
    return try Template(source, file: file, &resolver)
  }

  /// The language that `page` is rendered in for somebody who wants `language`: the administration is in English.
  public func language(of page: PageName, wanted language: String) -> String {
    page.isForPeople && catalogues[language] != nil ? language : "en"
  }

  /// The page with `context` filled in: a whole HTML document in UTF-8.
  ///
  /// - Throws: As ``Template/render(with:undefined:)``.
  public func render(
    _ page: PageName, with context: PageContext.Object, in language: String = "en",
    undefined: UndefinedSlots = .refused
  ) throws(TemplateError) -> [UInt8] {
    let catalogue = catalogues[self.language(of: page, wanted: language)] ?? .english
    var context = context
    context["lang"] = .text(catalogue.language)
    context["dir"] = .text(catalogue.isRightToLeft ? "rtl" : "ltr")
    let template = try template(page, catalogue)
    return try template.render(with: .object(context), catalogue: catalogue, undefined: undefined)
  }

  private func template(_ page: PageName, _ catalogue: Catalogue) throws(TemplateError) -> Template {
    let pages = catalogue.language == "en" ? templates : try pages(in: catalogue)
    guard let template = pages[page] else {
      throw TemplateError(TemplatePlace(file: page.file + ".html", line: 0), "The page is not loaded.")
    }
    return template
  }

  private func pages(in catalogue: Catalogue) throws(TemplateError) -> [PageName: Template] {
    if let known = translations.withLock({ $0[catalogue.language] }) { return known }
    let translated = files.translated(by: catalogue)
    var resolver = TemplateResolver(partials: translated.parts)
    var pages: [PageName: Template] = [:]
    for page in PageName.forPeople { pages[page] = try Self.template(page, translated, &resolver) }
    translations.withLock { $0[catalogue.language] = pages }
    return pages
  }

  /// Every slot `page` uses.
  public func slots(of page: PageName) -> [Slot] { templates[page]?.slots ?? [] }
}

/// Everything that keeps the pages from being loaded.
public struct PageLoadFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public let problems: [TemplateError]

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
