import Glibc
import HTTP

/// The `Date` field's value, made once per second.
struct DateCache {
  private var second = 0
  private var value = ""

  var text: String {
    mutating get {
      var time = timespec()
      unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
      if time.tv_sec != second {
        second = time.tv_sec
        value = HTTPDate.format(second)
      }
      return value
    }
  }
}
