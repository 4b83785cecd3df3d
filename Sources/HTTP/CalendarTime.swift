/// A moment in UTC, by the Gregorian calendar; leap seconds do not exist.
struct CalendarTime {
  var year: Int
  /// 1…12.
  var month: Int
  /// 1…31.
  var day: Int
  /// 0 is Sunday.
  var weekday: Int
  var hour: Int
  var minute: Int
  var second: Int

  /// The moment `seconds` after 1970 began; negative ones lie before.
  init(_ seconds: Int) {
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let rest = seconds - days * 86_400
    (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    weekday = ((days + 4) % 7 + 7) % 7

    // Years that begin in March keep the leap day last; 719,468 days lie between 0000-03-01 and 1970.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970 to a date of a year after 0.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
