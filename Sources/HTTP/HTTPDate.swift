/// Dates as HTTP writes them (RFC 9110 §5.6.7).
public enum HTTPDate {
  /// The IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, of seconds since 1970.
  public static func format(_ seconds: Int) -> String {
    let time = CalendarTime(seconds)
    var text: [UInt8] = []
    text.reserveCapacity(32)
    text.append(contentsOf: dayNames[time.weekday].utf8)
    text.append(contentsOf: ", ".utf8)
    appendTwoDigits(time.day, to: &text)
    text.append(space)
    text.append(contentsOf: monthNames[time.month - 1].utf8)
    text.append(space)
    appendTwoDigits(time.year / 100, to: &text)
    appendTwoDigits(time.year % 100, to: &text)
    for (number, mark) in [(time.hour, " "), (time.minute, ":"), (time.second, ":")] {
      text.append(contentsOf: mark.utf8)
      appendTwoDigits(number, to: &text)
    }
    text.append(contentsOf: " GMT".utf8)
    return String(decoding: text, as: UTF8.self)
  }

  /// Seconds since 1970, or `nil` when `text` is none of the three forms that HTTP knows.
  ///
  /// The two obsolete forms are read as well, as RFC 9110 §5.6.7 asks; a year of two digits below 70 is after 2000.
  public static func parse(_ text: String) -> Int? {
    // Each form is a template; letters stand for what they name, the rest must be equal.
    for form in ["www, dd mmm yyyy hh:nn:ss GMT", "www mmm _d hh:nn:ss yyyy"] {
      if let time = DateFields(text.utf8, form: form) { return time.seconds }
    }
    guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")),
      weekdays.contains(String(text[..<comma]))
    else { return nil }
    return DateFields(text[comma...].utf8, form: ", dd-mmm-yy hh:nn:ss GMT")?.seconds
  }

  static var dayNames: [String] { ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] }
  static var monthNames: [String] {
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  }
  private static var weekdays: [String] {
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  }

  private static func appendTwoDigits(_ number: Int, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "0") + UInt8(number / 10 % 10))
    text.append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}
