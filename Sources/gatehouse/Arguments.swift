/// The words of a command line, taken apart: what is left over at the end is a mistake.
struct Arguments {
  /// A command that was not understood, in a sentence that says what would be.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  private var words: [String]

  init(_ words: [String]) { self.words = words }

  var isEmpty: Bool { words.isEmpty }

  /// Takes the first word that is not an option.
  mutating func word(_ what: String) throws(Failure) -> String {
    guard let first = words.first, !first.hasPrefix("--") else { throw Failure("Name \(what).") }
    return words.removeFirst()
  }

  /// Takes every value of an option that may repeat.
  mutating func values(of name: String) throws(Failure) -> [String] {
    var values: [String] = []
    while let index = words.firstIndex(of: name) {
      guard index + 1 < words.count, !words[index + 1].hasPrefix("--") else { throw Failure("\(name) needs a value.") }
      values.append(words[index + 1])
      words.removeSubrange(index...(index + 1))
    }
    return values
  }

  /// Takes an option that stands once or not at all.
  mutating func value(of name: String) throws(Failure) -> String? {
    let values = try values(of: name)
    guard values.count <= 1 else { throw Failure("\(name) stands more than once.") }
    return values.first
  }

  mutating func required(_ name: String) throws(Failure) -> String {
    guard let value = try value(of: name) else { throw Failure("\(name) is missing.") }
    return value
  }

  /// Takes a switch.
  mutating func flag(_ name: String) -> Bool {
    guard let index = words.firstIndex(of: name) else { return false }
    words.remove(at: index)
    return true
  }

  /// Refuses whatever was not taken.
  func finish() throws(Failure) {
    if let word = words.first { throw Failure("\(word) is not understood here.") }
  }
}
