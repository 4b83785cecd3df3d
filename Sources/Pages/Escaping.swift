/// How a slot's value is written, decided by where the slot stands when the template is loaded.
enum Escaping: Equatable, Sendable {
  /// Text or the quoted value of an ordinary attribute.
  case html
  /// The beginning of a link, or the whole of it: only ``PageContext/url(_:)`` may stand there.
  case link
  /// A piece of a link after its path has begun: percent-encoded.
  case linkPart
}

extension [UInt8] {
  /// Adds `text` so that it can end neither an element's text nor a quoted attribute.
  mutating func append(escaping text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "\""): append(contentsOf: "&quot;".utf8)
      case UInt8(ascii: "'"): append(contentsOf: "&#39;".utf8)
      default: append(byte)
      }
    }
  }

  /// Adds `text` with everything but unreserved characters percent-encoded (RFC 3986 §2.3).
  mutating func append(percentEncoding text: String) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        append(byte)
      default: self += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}

/// Whether a browser that follows `link` stays with http and https, and on this server unless a host is written out.
///
/// Allowed are `http://…`, `https://…`, and what begins with one `/`, with `?`, with `#`, or is empty. Refused are
/// other schemes, `//host`, back slashes, spaces and control characters, which browsers read in surprising ways
/// (WHATWG URL, basic parser).
func isSafeLink(_ link: String) -> Bool {
  guard link.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { return false }
  if link.hasPrefix("https://") || link.hasPrefix("http://") { return true }
  if link.hasPrefix("//") { return false }
  return link.isEmpty || link.hasPrefix("/") || link.hasPrefix("?") || link.hasPrefix("#")
}
