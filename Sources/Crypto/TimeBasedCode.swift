internal import COpenSSL

/// The codes that authenticator apps show (RFC 6238), in the one form that all of them know: HMAC-SHA-1, thirty seconds,
/// six digits.
public enum TimeBasedCode {
  /// Seconds for which an app shows a code.
  public static let period: Int64 = 30
  public static let digits = 6
  /// In bytes, as long as the hash (RFC 4226 §4).
  public static let secretSize = 20

  /// Which code is shown at a time, counted from 1970 on.
  public static func step(at seconds: Int64) -> Int64 { seconds / period }

  /// The code of one step (RFC 4226 §5.3).
  public static func code(_ secret: [UInt8], step: Int64, digits: Int = digits) -> String {
    let hash = hmac(secret, (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) })
    let offset = Int(hash[hash.count - 1] & 0x0F)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let text = String(UInt64(number) % (0..<digits).reduce(1) { power, _ in power * 10 })
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// The step that `typed` is the code of, now, just before or just after; `nil` when it is of none.
  ///
  /// All three are compared, whichever it is.
  public static func step(of typed: String, _ secret: [UInt8], at seconds: Int64) -> Int64? {
    let now = step(at: seconds)
    return [now - 1, now, now + 1].reduce(nil) { found, step in
      constantTimeEqual(Array(code(secret, step: step).utf8), Array(typed.utf8)) ? step : found
    }
  }

  private static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 20)
    var count = 0
    let made = unsafe EVP_Q_mac(
      nil, "HMAC", nil, "SHA1", nil, key, key.count, message, message.count, &hash, hash.count, &count)
    precondition(unsafe made != nil && count == hash.count, "OpenSSL cannot compute HMAC with SHA-1")
    return hash
  }
}
