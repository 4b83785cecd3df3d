import FileSystem

/// The text of the template files of a folder, before compiling.
struct PageFiles {
  private(set) var pages: [String: [UInt8]] = [:]
  private(set) var parts: [String: [UInt8]] = [:]
  /// What could not be read.
  private(set) var problems: [TemplateError] = []

  init(pages: [String: [UInt8]], parts: [String: [UInt8]]) {
    self.pages = pages
    self.parts = parts
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

  /// A part of one line stands inside other lines, where its line end would be a space.
  private static func withoutLineEnd(_ part: [UInt8]) -> [UInt8] {
    part.count { $0 == UInt8(ascii: "\n") } == 1 && part.last == UInt8(ascii: "\n") ? part.dropLast() : part
  }
}
