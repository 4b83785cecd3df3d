import FileSystem

/// The text of the template files of a folder, before compiling.
struct PageFiles {
  private(set) var pages: [String: [UInt8]] = [:]
  private(set) var parts: [String: [UInt8]] = [:]
  private(set) var catalogues: [Catalogue] = []
  /// What could not be read.
  private(set) var problems: [TemplateError] = []

  init(pages: [String: [UInt8]], parts: [String: [UInt8]], catalogues: [Catalogue] = []) {
    self.pages = pages
    self.parts = parts
    self.catalogues = catalogues
  }

  /// Reads `*.html` there and in `parts` below.
  init(directory: String) {
    do {
      for (name, bytes) in try Directory.files(in: directory) where name.hasSuffix(".html") {
        let page = String(name.dropLast(".html".count))
        if page.hasPrefix("parts/") {
          parts[String(page.dropFirst("parts/".count))] = PageFiles.withoutLineEnd(bytes)
        } else {
          pages[page] = bytes
        }
      }
    } catch {
      problems.append(
        TemplateError(TemplatePlace(file: directory, line: 0), "\(error) It must hold the HTML templates."))
    }
  }

  /// Reads `TAG.po` of `directory`.
  mutating func addCatalogues(of directory: String) {
    do {
      for (name, bytes) in try Directory.files(in: directory) where name.hasSuffix(".po") {
        do throws(TemplateError) {
          let messages = try CatalogueFile.read(bytes, file: name)
          catalogues.append(Catalogue(language: String(name.dropLast(".po".count)), messages: messages))
        } catch { problems.append(error) }
      }
    } catch {
      problems.append(
        TemplateError(TemplatePlace(file: directory, line: 0), "\(error) It must hold the catalogues of languages."))
    }
  }

  /// The pages for people and the parts, with the messages of `catalogue` in the places of ours.
  func translated(by catalogue: Catalogue) -> PageFiles {
    func translated(_ source: [UInt8]) -> [UInt8] {
      TemplateMessages.translated(source) { catalogue.forms(of: $0)?.first ?? $0 }
    }
    let read = Set(PageName.forPeople.map(\.file))
    return PageFiles(
      pages: pages.filter { read.contains($0.key) }.mapValues(translated), parts: parts.mapValues(translated))
  }

  /// A part of one line stands inside other lines, where its line end would be a space.
  private static func withoutLineEnd(_ part: [UInt8]) -> [UInt8] {
    part.count { $0 == UInt8(ascii: "\n") } == 1 && part.last == UInt8(ascii: "\n") ? part.dropLast() : part
  }
}
