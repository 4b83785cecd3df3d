/// Every page of the installation, compiled: `NAME.html` for each ``PageName``, and `parts/*.html` that they share.
///
/// ```swift
/// let pages = try PageLibrary(directory: "Public/pages")
/// let html = try pages.render(.signIn, with: context)
/// ```
public struct PageLibrary: Sendable {
  private let templates: [PageName: Template]

  /// Reads and compiles all pages.
  ///
  /// - Parameter directory: A path, absolute or relative to the working directory.
  /// - Throws: ``PageLoadFailure`` with every mistake found: a missing page, an HTML file that is no page, an
  ///   unreadable file, and the mistakes of ``Template/init(_:file:partials:)``.
  public init(directory: String) throws(PageLoadFailure) {
    try self.init(files: PageFiles(directory: directory))
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
        templates[page] = try PageLibrary.template(page, files, &resolver)
      } catch { problems.append(error) }
    }
    guard problems.isEmpty else { throw PageLoadFailure(problems: problems) }
    self.templates = templates
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

  /// The page with `context` filled in: a whole HTML document in UTF-8.
  ///
  /// - Throws: As ``Template/render(with:undefined:)``.
  public func render(
    _ page: PageName, with context: PageContext.Object, undefined: UndefinedSlots = .refused
  ) throws(TemplateError) -> [UInt8] {
    guard let template = templates[page] else {
      throw TemplateError(TemplatePlace(file: page.file + ".html", line: 0), "The page is not loaded.")
    }
    return try template.render(with: .object(context), undefined: undefined)
  }

  /// Every slot `page` uses.
  public func slots(of page: PageName) -> [Slot] { templates[page]?.slots ?? [] }
}

/// Everything that keeps the pages from being loaded.
public struct PageLoadFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public let problems: [TemplateError]

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
