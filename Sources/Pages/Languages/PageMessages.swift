extension PageLibrary {
  /// Everything that the pages for people say, in English and each once, in the order of pages and parts.
  ///
  /// - Throws: ``PageLoadFailure`` when a page cannot be read.
  public static func messages(directory: String) throws(PageLoadFailure) -> [String] {
    let files = PageFiles(directory: directory)
    guard files.problems.isEmpty else { throw PageLoadFailure(problems: files.problems) }
    return files.messages
  }
}

extension PageFiles {
  /// What the pages for people and their parts say, each once.
  var messages: [String] {
    let pages = PageName.forPeople.map(\.file).sorted().compactMap { self.pages[$0] }
    let parts = self.parts.sorted { $0.key < $1.key }.filter { reachable.contains($0.key) }.map(\.value)
    var seen: Set<String> = []
    return (pages + parts).flatMap { TemplateMessages.messages(of: $0) }.filter { seen.insert($0).inserted }
  }

  /// The parts that pages for people are made of.
  private var reachable: Set<String> {
    var reached: Set<String> = []
    var open = PageName.forPeople.compactMap { pages[$0.file] }
    while let source = open.popLast() {
      for token in MarkupToken.tokens(of: source) {
        guard let part = token.part, reached.insert(part).inserted else { continue }
        if let next = parts[part] { open.append(next) }
      }
    }
    return reached
  }
}

extension MarkupToken {
  /// The part that `{{> name}}` or `{{<name}}` names.
  fileprivate var part: String? {
    guard source.hasPrefix("{{"), let sigil = source.dropFirst(2).first, sigil == ">" || sigil == "<" else {
      return nil
    }
    return String(source.dropFirst(3).drop { $0 == " " }.prefix { $0 != "}" && $0 != " " })
  }
}
