internal import FoundationEssentials

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
    pages = read(directory)
    parts = read(directory + "/parts").mapValues(PageFiles.withoutLineEnd)
  }

  private mutating func read(_ directory: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    do {
      for file in try FileManager.default.contentsOfDirectory(atPath: directory) where file.hasSuffix(".html") {
        guard let data = FileManager.default.contents(atPath: directory + "/" + file) else {
          problems.append(TemplateError(TemplatePlace(file: file, line: 0), "The file cannot be read."))
          continue
        }
        files[String(file.dropLast(".html".count))] = Array(data)
      }
    } catch {
      let place = TemplatePlace(file: directory, line: 0)
      problems.append(TemplateError(place, "The folder cannot be read; it must hold the HTML templates."))
    }
    return files
  }

  /// A part of one line stands inside other lines, where its line end would be a space.
  private static func withoutLineEnd(_ part: [UInt8]) -> [UInt8] {
    part.count { $0 == UInt8(ascii: "\n") } == 1 && part.last == UInt8(ascii: "\n") ? part.dropLast() : part
  }
}
