/// A moment, in whole seconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  public let seconds: Int64

  public init(seconds: Int64) { self.seconds = seconds }

  /// The beginning of a day in UTC, written as `2026-11-21`; `nil` for anything that is no such day.
  public init?(day text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard text.utf8.count == 10, parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      (1970...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, year)).contains(day)
    else { return nil }
    // Years that begin in March keep the leap day last; 719,468 days lie between 0000-03-01 and 1970.
    let marchYear = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    seconds = days * 86_400
  }

  /// A day in UTC as ``init(day:)`` reads it; `day` counts from 1970.
  public static func text(ofDay day: Int64) -> String {
    let shifted = day + 719_468
    let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(year)-\(two(month))-\(two(dayOfYear - (153 * marchMonth + 2) / 5 + 1))"
  }

  private static func days(in month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.seconds < b.seconds }

  /// The end of what has no end: the last second of the year 9999.
  public static let never = Timestamp(seconds: 253_402_300_799)

  /// Whether it is so far away that nobody meant a date.
  public var isNever: Bool { self >= Timestamp.never }

  /// The moment `seconds` later.
  public static func + (moment: Timestamp, seconds: Int64) -> Timestamp {
    Timestamp(seconds: moment.seconds + seconds)
  }

  /// The moment `seconds` earlier.
  public static func - (moment: Timestamp, seconds: Int64) -> Timestamp {
    Timestamp(seconds: moment.seconds - seconds)
  }

  /// How many seconds lie between two moments; negative when `earlier` is the later one.
  public static func - (later: Timestamp, earlier: Timestamp) -> Int64 { later.seconds - earlier.seconds }
}
