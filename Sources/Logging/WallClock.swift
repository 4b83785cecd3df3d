import Glibc

/// A moment of the system's wall clock.
struct WallClock: Equatable {
  let seconds: Int
  let milliseconds: Int

  static var now: WallClock {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return WallClock(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
  }

  /// The moment as RFC 3339 in UTC, 24 bytes: `2026-01-31T23:59:59.123Z`.
  ///
  /// The calendar arithmetic counts in eras of 400 years that begin on 1 March, which puts the leap day last.
  func append(to line: inout [UInt8]) {
    let days = seconds / 86_400 + 719_468
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let clock = seconds % 86_400
    line.append(digits: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), width: 4, then: "-")
    line.append(digits: month, width: 2, then: "-")
    line.append(digits: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, width: 2, then: "T")
    line.append(digits: clock / 3_600, width: 2, then: ":")
    line.append(digits: clock / 60 % 60, width: 2, then: ":")
    line.append(digits: clock % 60, width: 2, then: ".")
    line.append(digits: milliseconds, width: 3, then: "Z")
  }
}

extension [UInt8] {
  fileprivate mutating func append(digits number: Int, width: Int, then mark: Unicode.Scalar) {
    var divisor = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
    append(UInt8(ascii: mark))
  }
}
