/// A form that carries files (RFC 7578).
public struct MultipartForm: Sendable {
  /// The fields that are text.
  public let form: Form
  /// The files by the names of their fields; one that nobody chose is empty.
  public let files: [String: [UInt8]]

  /// Reads a request body of the type `contentType`.
  ///
  /// What a file is called and of what type it says it is are not believed, so they are not read.
  ///
  /// - Throws: ``FormFailure``.
  public init(_ body: [UInt8], contentType: String, limits: Form.Limits = Form.Limits()) throws(FormFailure) {
    guard let boundary = Self.boundary(in: contentType) else { throw .malformed(1) }
    var fields: [(String, String)] = []
    var files: [String: [UInt8]] = [:]
    var number = 0
    for part in try Self.parts(of: body, boundary: boundary, most: limits.fieldCount) {
      number += 1
      guard let end = part.firstRange(of: Array("\r\n\r\n".utf8)) else { throw .malformed(number) }
      guard let head = Self.text(part[..<end.lowerBound]), let (name, isFile) = Self.field(in: head) else {
        throw .malformed(number)
      }
      guard name.utf8.count <= limits.nameBytes else { throw .tooLong(number, limit: limits.nameBytes) }
      let content = part[end.upperBound...]
      if isFile {
        guard files.updateValue(Array(content), forKey: name) == nil else { throw .malformed(number) }
      } else {
        guard content.count <= limits.valueBytes else { throw .tooLong(number, limit: limits.valueBytes) }
        guard let value = Self.text(content) else { throw .malformed(number) }
        fields.append((name, value))
      }
    }
    form = Form(fields)
    self.files = files
  }

  /// Whether `contentType` is that of such a form.
  public static func isType(_ contentType: String) -> Bool { boundary(in: contentType) != nil }

  /// The parameter `boundary`, whose letters count as they are (RFC 2046 §5.1.1).
  private static func boundary(in contentType: String) -> [UInt8]? {
    let parts = contentType.split(separator: ";").map { $0.trimmingBlanks }
    guard parts.first?.lowercased() == "multipart/form-data" else { return nil }
    let found = parts.dropFirst().filter { $0.lowercased().hasPrefix("boundary=") }
    guard found.count == 1, let value = found.first?.dropFirst("boundary=".count) else { return nil }
    let isQuoted = value.utf8.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
    let bare = Array((isQuoted ? value.dropFirst().dropLast() : value).utf8)
    guard (1...70).contains(bare.count), bare.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }) else {
      return nil
    }
    return bare
  }

  /// What stands between the delimiters; nothing may stand before the first, or be missing behind the last.
  private static func parts(
    of body: [UInt8], boundary: [UInt8], most: Int
  ) throws(FormFailure) -> [ArraySlice<UInt8>] {
    let opening = Array("--".utf8) + boundary
    guard body.starts(with: opening) else { throw .malformed(1) }
    let delimiter = Array("\r\n".utf8) + opening
    var found: [ArraySlice<UInt8>] = []
    var rest = body[opening.count...]
    while !rest.starts(with: "--".utf8) {
      guard rest.starts(with: "\r\n".utf8) else { throw .malformed(found.count + 1) }
      guard found.count < most else { throw .tooManyFields(most) }
      // A part without fields begins with the line that ends them.
      guard let end = rest.firstRange(of: delimiter) else { throw .malformed(found.count + 1) }
      found.append(rest[(rest.startIndex + 2)..<max(end.lowerBound, rest.startIndex + 2)])
      rest = rest[end.upperBound...]
    }
    return found
  }

  /// The field's name, and whether it is a file, as `Content-Disposition` says.
  private static func field(in head: String) -> (name: String, isFile: Bool)? {
    let prefix = "content-disposition:"
    let lines = head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix(prefix) }
    guard lines.count == 1 else { return nil }
    var rest = lines[0].dropFirst(prefix.count).trimmingBlanks
    guard rest.lowercased().hasPrefix("form-data") else { return nil }
    rest = rest.dropFirst("form-data".count)
    var (name, isFile): (String?, Bool) = (nil, false)
    while !rest.isEmpty {
      rest = rest.trimmingBlanks
      guard rest.hasPrefix(";") else { return nil }
      rest = rest.dropFirst().trimmingBlanks
      guard let equals = rest.firstIndex(of: "=") else { return nil }
      let parameter = rest[..<equals].lowercased()
      rest = rest[rest.index(after: equals)...]
      guard let value = takeValue(&rest) else { return nil }
      if parameter == "name" {
        guard name == nil else { return nil }
        name = value
      }
      isFile = isFile || parameter == "filename" || parameter == "filename*"
    }
    return name.map { ($0, isFile) }
  }

  /// A token or what stands between quotes, in which browsers write a quote as `%22`.
  private static func takeValue(_ rest: inout Substring) -> String? {
    if rest.hasPrefix("\"") {
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: "\"") else { return nil }
      defer { rest = rest[rest.index(after: end)...] }
      return String(rest[..<end])
    }
    let value = rest.prefix { $0 != ";" && $0 != " " }
    rest = rest.dropFirst(value.count)
    return value.isEmpty ? nil : String(value)
  }

  /// UTF-8 without NUL.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    let bytes = Array(bytes)
    return bytes.contains(0) ? nil : bytes.span.validText
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
