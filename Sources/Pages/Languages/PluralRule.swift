/// Which of a message's forms a number takes, as GNU gettext's `Plural-Forms` of the language counts them.
///
/// Source: the table of the GNU gettext manual, “Plural forms”.
enum PluralRule: Sendable {
  case oneAndOther
  /// French: zero counts as one.
  case upToOneAndOther
  case arabic

  /// The rule of a language by its tag; what has none here counts like English.
  init(language: String) {
    switch language.prefix(2) {
    case "fr": self = .upToOneAndOther
    case "ar": self = .arabic
    default: self = .oneAndOther
    }
  }

  /// How many forms there are.
  var forms: Int { self == .arabic ? 6 : 2 }

  /// The form for `number`: 0 … ``forms`` − 1.
  func form(for number: Int64) -> Int {
    switch self {
    case .oneAndOther: return number == 1 ? 0 : 1
    case .upToOneAndOther: return number == 0 || number == 1 ? 0 : 1
    case .arabic:
      if (0...2).contains(number) { return Int(number) }
      let hundredth = number % 100
      if (3...10).contains(hundredth) { return 3 }
      return hundredth >= 11 ? 4 : 5
    }
  }
}
