import Crypto

/// Makes names for requests.
public enum NewRequestID {
  /// 16 hexadecimal digits of chance: enough to find one request in a log.
  public static func make() -> String { Hex.encode(Random.bytes(8)) }
}
