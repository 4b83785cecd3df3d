import Domain
import HTTP
import Pages

/// The fields of a connect form that say how long to keep what is connected: `kept` and `kept_until`.
enum KeepingField {
  private static let options = ["sign_out", "browser", "date"]

  static func fill(_ page: inout PageForm, _ posted: Form) {
    page.choose("kept", from: options, chosen: [posted.nonEmpty("kept") ?? options[0]])
    page.fill("kept_until", with: posted["kept_until"] ?? "")
  }

  /// What was chosen, or what is wrong with it; a day is meant inclusive, in UTC.
  static func read(_ posted: Form, at now: Timestamp) -> (keeping: Keeping, objection: (field: String, text: Words)?) {
    switch posted.nonEmpty("kept") {
    case nil, "sign_out": return (.untilSignOut, nil)
    case "browser": return (.thisBrowser, nil)
    case "date":
      guard let day = Timestamp(day: (posted["kept_until"] ?? "").trimmed) else {
        return (.untilSignOut, ("kept_until", "Enter the last day on which it is kept, such as 2026-12-31."))
      }
      let end = day + 24 * 60 * 60
      guard end > now else { return (.untilSignOut, ("kept_until", "This day is over: enter today or a later one.")) }
      return (.until(end), nil)
    default: return (.untilSignOut, ("kept", "Choose how long it is kept."))
    }
  }

  /// `kept_days`: the longest that an administrator allows, in words, or none.
  static func slots(_ connection: Connection) -> PageContext.Object {
    ["kept_days": .words(ifAny: connection.longestKeptDays.map { .counting($0, "day") })]
  }
}
