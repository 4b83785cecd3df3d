import Crypto

/// Makes names for requests.
public enum NewRequestID {
  /// 15 hexadecimal digits of chance: enough to find one request in a log, and as much as a string holds in itself.
  public static func make() -> String { String(Random.word() >> 4 | 1 << 59, radix: 16) }
}
