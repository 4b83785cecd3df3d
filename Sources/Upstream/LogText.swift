/// Words of an upstream, made fit for a log line and an administrator's page.
enum LogText {
  /// Characters in a row, as tokens are made of, that no sentence has.
  private static let longestWord = 20

  /// At most 200 characters, without control characters and without anything that may be a token.
  ///
  /// Some upstreams repeat in an error what was presented to them.
  static func clean(_ text: String) -> String {
    var cleaned = ""
    var word = ""
    for character in text.prefix(200) {
      if isOfTokens(character) {
        word.append(character)
      } else {
        cleaned += shown(word) + (isControl(character) ? " " : String(character))
        word = ""
      }
    }
    return cleaned + shown(word)
  }

  /// At most 200 characters of a name, on one line and in one direction.
  static func line(_ text: String) -> String { String(text.prefix(200).map { isControl($0) ? " " : $0 }) }

  private static func shown(_ word: String) -> String {
    guard word.count > longestWord else { return word }
    let longest = word.split { !isAlphanumeric($0) }.map(\.count).max() ?? 0
    // A name such as unsupported_grant_type has no digits, the id of a trace no capitals.
    let isMixed =
      word.contains { $0.isUppercase } && word.contains { $0.isLowercase } && word.contains { $0.isNumber }
    return longest > longestWord || isMixed ? "•••" : word
  }

  private static func isAlphanumeric(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }

  /// Letters, digits and the marks of both base64 alphabets.
  private static func isOfTokens(_ character: Character) -> Bool {
    isAlphanumeric(character) || "-_+/=~".contains(character)
  }

  /// Control characters, line separators, and marks that turn the direction of writing.
  private static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains {
      $0.properties.generalCategory == .control || (0x200E...0x200F).contains($0.value)
        || (0x2028...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value) || $0.value == 0x061C
    }
  }
}
