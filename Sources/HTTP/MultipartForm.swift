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
      guard let (name, isFile, content) = Self.field(in: body[part]) else { throw .malformed(number) }
      guard name.utf8.count <= limits.nameBytes else { throw .tooLong(number, limit: limits.nameBytes) }
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

  /// `body` without the fields called `name`; what else stands in it stays as it is.
  ///
  /// - Throws: ``FormFailure``.
  public static func without(
    _ name: String, _ body: [UInt8], contentType: String, limits: Form.Limits = Form.Limits()
  ) throws(FormFailure) -> [UInt8] {
    guard let boundary = boundary(in: contentType) else { throw .malformed(1) }
    let delimiter = Array("--".utf8) + boundary
    var kept: [UInt8] = []
    for (number, part) in try parts(of: body, boundary: boundary, most: limits.fieldCount).enumerated() {
      guard let field = field(in: body[part]) else { throw .malformed(number + 1) }
      if field.name != name { kept += delimiter + lineEnd + body[part] + lineEnd }
    }
    return kept + delimiter + Array("--\r\n".utf8)
  }

  /// Whether `contentType` is that of such a form.
  public static func isType(_ contentType: String) -> Bool { boundary(in: contentType) != nil }

  /// The parameter `boundary`, whose letters count as they are (RFC 2046 §5.1.1).
  private static func boundary(in contentType: String) -> [UInt8]? {
    let name = Array("boundary=".utf8)
    let parts = Array(contentType.utf8).split(separator: UInt8(ascii: ";")).map { $0.drop(while: isBlank) }
    guard let type = parts.first?.prefix(while: { !isBlank($0) }),
      type.lowercasedASCII == Array("multipart/form-data".utf8)
    else { return nil }
    let found = parts.dropFirst().filter { $0.prefix(name.count).lowercasedASCII == name }
    guard found.count == 1, var value = found.first?.dropFirst(name.count) else { return nil }
    while let last = value.last, isBlank(last) { value.removeLast() }
    let quote = UInt8(ascii: "\"")
    let isQuoted = value.count >= 2 && value.first == quote && value.last == quote
    let bare = Array(isQuoted ? value.dropFirst().dropLast() : value)
    guard (1...70).contains(bare.count), bare.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }) else {
      return nil
    }
    return bare
  }

  /// What stands between the delimiters; nothing may stand before the first, or be missing behind the last.
  private static func parts(of body: [UInt8], boundary: [UInt8], most: Int) throws(FormFailure) -> [Range<Int>] {
    let opening = Array("--".utf8) + boundary
    guard body.starts(with: opening) else { throw .malformed(1) }
    let delimiter = lineEnd + opening
    var found: [Range<Int>] = []
    var position = opening.count
    while !body[position...].starts(with: "--".utf8) {
      guard body[position...].starts(with: lineEnd) else { throw .malformed(found.count + 1) }
      guard found.count < most else { throw .tooManyFields(most) }
      // A part without fields begins with the line that ends them.
      guard let end = body.span.firstIndex(of: delimiter, from: position) else { throw .malformed(found.count + 1) }
      found.append(position + 2..<max(end, position + 2))
      position = end + delimiter.count
    }
    return found
  }

  /// The field's name, whether it is a file, as `Content-Disposition` says, and what it holds.
  private static func field(
    in part: ArraySlice<UInt8>
  ) -> (name: String, isFile: Bool, content: ArraySlice<UInt8>)? {
    let head = part.prefix(longestHead)
    var disposition: ArraySlice<UInt8>?
    var position = head.startIndex
    while let end = head.span.firstIndex(of: lineEnd, from: position - head.startIndex).map({ $0 + head.startIndex }) {
      let line = head[position..<end]
      position = end + 2
      if line.isEmpty {
        guard let (name, isFile) = disposition.flatMap(parameters) else { return nil }
        return (name, isFile, part[position...])
      }
      guard line.prefix(dispositionName.count).lowercasedASCII == dispositionName else { continue }
      guard disposition == nil else { return nil }
      disposition = line.dropFirst(dispositionName.count)
    }
    return nil
  }

  /// In bytes: what browsers write before a part's content, with a file's name.
  private static let longestHead = 1024
  private static let lineEnd = Array("\r\n".utf8)
  private static let dispositionName = Array("content-disposition:".utf8)

  /// The parameter `name` of a disposition, and whether there is a `filename`.
  private static func parameters(of disposition: ArraySlice<UInt8>) -> (name: String, isFile: Bool)? {
    var rest = disposition.drop(while: isBlank)
    let type = Array("form-data".utf8)
    guard rest.prefix(type.count).lowercasedASCII == type else { return nil }
    rest = rest.dropFirst(type.count).drop(while: isBlank)
    var (name, isFile): (String?, Bool) = (nil, false)
    while let semicolon = rest.popFirst() {
      guard semicolon == UInt8(ascii: ";") else { return nil }
      rest = rest.drop(while: isBlank)
      guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let parameter = rest[..<equals].lowercasedASCII
      rest = rest[(equals + 1)...]
      guard let value = takeValue(&rest) else { return nil }
      if parameter == Array("name".utf8) {
        guard name == nil, let text = text(value) else { return nil }
        name = text
      }
      isFile = isFile || parameter == Array("filename".utf8) || parameter == Array("filename*".utf8)
      rest = rest.drop(while: isBlank)
    }
    return name.map { ($0, isFile) }
  }

  /// A token or what stands between quotes, in which browsers write a quote as `%22`.
  private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    if rest.first == UInt8(ascii: "\"") {
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
      defer { rest = rest[(end + 1)...] }
      return rest[..<end]
    }
    let value = rest.prefix { $0 != UInt8(ascii: ";") && !isBlank($0) }
    rest = rest.dropFirst(value.count)
    return value.isEmpty ? nil : value
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// UTF-8 without NUL.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    let bytes = Array(bytes)
    return bytes.contains(0) ? nil : bytes.span.validText
  }
}

extension Span<UInt8> {
  /// Where `needle` first begins at or after `start`.
  ///
  /// In linear time for a needle whose first byte stands in it once, such as a delimiter's CR.
  fileprivate func firstIndex(of needle: [UInt8], from start: Int) -> Int? {
    var position = start
    while position + needle.count <= count {
      var matched = 0
      while matched < needle.count, self[position + matched] == needle[matched] { matched += 1 }
      if matched == needle.count { return position }
      position += Swift.max(matched, 1)
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  fileprivate var lowercasedASCII: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}
