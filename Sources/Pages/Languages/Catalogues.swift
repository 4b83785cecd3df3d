/// What the code says, in every language that there is a catalogue for: for texts that are no pages.
public struct Catalogues: Sendable {
  private let catalogues: [String: Catalogue]

  /// Reads `TAG.po` of a folder.
  ///
  /// - Throws: ``PageLoadFailure`` with every catalogue that cannot be read.
  public init(directory: String) throws(PageLoadFailure) {
    var files = PageFiles(pages: [:], parts: [:])
    files.addCatalogues(of: directory)
    guard files.problems.isEmpty else { throw PageLoadFailure(problems: files.problems) }
    catalogues = Dictionary(uniqueKeysWithValues: files.catalogues.map { ($0.language, $0) })
  }

  /// The words in `language`, or in English where there is no such catalogue.
  public func text(of words: Words, in language: String) -> String {
    (catalogues[language] ?? .english).text(of: words)
  }
}
