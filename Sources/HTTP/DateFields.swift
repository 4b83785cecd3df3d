/// The numbers of a written date, read by a template.
struct DateFields {
  private var year = 0
  private var month = 0
  private var day = 0
  private var hour = 0
  private var minute = 0
  private var second = 0

  /// Reads `text` by `form`; `nil` when it does not fit or no such date exists.
  ///
  /// In the form `y`, `d`, `h`, `n`, `s` are digits, `_` is a digit of the day or a blank, `mmm` and `www` are names,
  /// and the rest stands for itself.
  init?(_ text: some BidirectionalCollection<UInt8>, form: String) {
    guard text.count == form.utf8.count else { return nil }
    var monthName: [UInt8] = []
    var dayName: [UInt8] = []
    for (byte, mark) in zip(text, form.utf8) {
      switch mark {
      case UInt8(ascii: "m"): monthName.append(byte)
      case UInt8(ascii: "w"): dayName.append(byte)
      case UInt8(ascii: "_") where byte == space: break
      case UInt8(ascii: "y"), UInt8(ascii: "d"), UInt8(ascii: "_"), UInt8(ascii: "h"), UInt8(ascii: "n"),
        UInt8(ascii: "s"):
        guard isDigit(byte) else { return nil }
        append(Int(byte - UInt8(ascii: "0")), to: mark)
      default: guard byte == mark else { return nil }
      }
    }
    guard let index = HTTPDate.monthNames.firstIndex(where: { monthName.elementsEqual($0.utf8) }) else { return nil }
    guard dayName.isEmpty || HTTPDate.dayNames.contains(where: { dayName.elementsEqual($0.utf8) }) else { return nil }
    month = index + 1
    if year < 100, !form.utf8.contains(UInt8(ascii: "w")) { year += year < 70 ? 2000 : 1900 }
    guard isDate else { return nil }
  }

  private mutating func append(_ digit: Int, to mark: UInt8) {
    switch mark {
    case UInt8(ascii: "y"): year = year * 10 + digit
    case UInt8(ascii: "d"), UInt8(ascii: "_"): day = day * 10 + digit
    case UInt8(ascii: "h"): hour = hour * 10 + digit
    case UInt8(ascii: "n"): minute = minute * 10 + digit
    default: second = second * 10 + digit
    }
  }

  /// Whether the calendar has the day and the clock the time; second 60 is a leap second.
  private var isDate: Bool {
    guard year > 0, day > 0, hour < 24, minute < 60, second <= 60 else { return false }
    let days = CalendarTime.days(year: year, month: month, day: day)
    return CalendarTime(days * 86_400).month == month
  }

  /// Seconds since 1970.
  var seconds: Int {
    CalendarTime.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
  }
}
