extension PageContext {
  /// A moment as pages show it: `iso` for machines and `text` for people, both in UTC.
  ///
  /// `seconds` count from 1 January 1970 UTC, without leap seconds; the page shows whole minutes, unless it is to be
  /// `exact`.
  public static func time(_ seconds: Int64, exact: Bool = false) -> PageContext {
    ["iso": .text(isoTime(seconds, exact: exact)), "text": .words(timeWords(seconds, exact: exact))]
  }

  /// The same in words alone.
  public static func timeWords(_ seconds: Int64, exact: Bool = false) -> Words {
    let (date, clock) = civilTime(seconds, exact: exact)
    return "\(date.day) \(Words(monthNames[Int(date.month - 1)])) \(date.year), \(clock) UTC"
  }

  /// A moment in UTC as people read it in English.
  public static func timeText(_ seconds: Int64, exact: Bool = false) -> String {
    timeWords(seconds, exact: exact).english
  }

  /// A moment in UTC as RFC 3339 writes it; without seconds unless it is to be `exact`.
  public static func isoTime(_ seconds: Int64, exact: Bool = false) -> String {
    let (date, clock) = civilTime(seconds, exact: exact)
    return "\(date.year)-\(twoDigits(date.month))-\(twoDigits(date.day))T\(clock)Z"
  }

  /// The time of ``time(_:)``, or ``none``.
  public static func time(ifAny seconds: Int64?) -> PageContext { seconds.map { time($0) } ?? .none }
}

private let monthNames = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
  "December",
]

private func civilTime(
  _ seconds: Int64, exact: Bool
) -> (date: (year: Int64, month: Int64, day: Int64), clock: String) {
  let day = seconds.quotientAndRemainder(dividingBy: 86_400)
  let days = day.remainder < 0 ? day.quotient - 1 : day.quotient
  let second = seconds - days * 86_400
  let clock = "\(twoDigits(second / 3600)):\(twoDigits(second / 60 % 60))"
  return (civilDate(daysSinceEpoch: days), exact ? "\(clock):\(twoDigits(second % 60))" : clock)
}

private func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// The Gregorian date of a day, counted in years that begin in March, so that the leap day comes last.
private func civilDate(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let shifted = days + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let march = (5 * dayOfYear + 2) / 153
  let month = march < 10 ? march + 3 : march - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
}
