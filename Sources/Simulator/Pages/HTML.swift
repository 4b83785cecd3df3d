/// A piece of a page; text that is interpolated is escaped, other pieces are not.
struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
  let text: String

  init(stringLiteral text: String) { self.text = text }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  init(joining pieces: [HTML]) { text = pieces.map(\.text).joined(separator: "\n") }

  struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ piece: HTML) { text += piece.text }

    mutating func appendInterpolation(_ value: String) {
      for character in value.unicodeScalars {
        switch character {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        default: text.unicodeScalars.append(character)
        }
      }
    }
  }
}
