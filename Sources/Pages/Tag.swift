/// One `{{…}}`: what it does and the name it holds.
struct Tag {
  /// `# ^ / ! > < $`, or 0 for a variable.
  let sigil: UInt8
  let name: String

  /// Reads what stands between the braces.
  ///
  /// - Throws: For an unescaped variable, changed delimiters, a dynamic name, and a name with other characters than
  ///   letters, digits, `_ - : /` and dots between.
  init(_ bytes: ArraySlice<UInt8>, at place: TemplatePlace) throws(TemplateError) {
    let blank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let text = bytes.drop(while: blank)
    let first = text.first ?? 0
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "&"):
      throw TemplateError(place, "An unescaped variable is not allowed; write {{name}}.")
    case UInt8(ascii: "="): throw TemplateError(place, "Delimiters cannot be changed.")
    default: break
    }
    sigil = "#^/!><$".utf8.contains(first) ? first : 0
    if sigil == UInt8(ascii: "!") {
      name = ""
      return
    }
    var rest = (sigil == 0 ? text : text.dropFirst()).drop(while: blank)
    while let last = rest.last, blank(last) { rest.removeLast() }
    name = String(decoding: rest, as: UTF8.self)
    guard Tag.isName(name) else {
      throw TemplateError(place, "‘\(name)’ is no name: letters, digits, _ and -, with dots between.")
    }
  }

  /// Whether the tag's whole line goes when nothing else stands on it.
  var mayStandAlone: Bool { sigil != 0 }

  private static func isName(_ name: String) -> Bool {
    if name == "." { return true }
    var isInPart = false
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"),
        UInt8(ascii: "/"):
        isInPart = true
      case UInt8(ascii: "."):
        guard isInPart else { return false }
        isInPart = false
      default: return false
      }
    }
    return isInPart
  }
}
