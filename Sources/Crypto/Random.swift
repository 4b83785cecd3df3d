internal import COpenSSL
internal import Synchronization

/// Random bytes from OpenSSL's generator, seeded by the kernel.
///
/// Stops the process when the generator fails: there is no safe way to go on. A process that forks must
/// execute another program at once, or both would hand out the same bytes.
public enum Random {
  /// One call of the generator costs a microsecond whatever its length, so a page is drawn at a time.
  private static let pool = Mutex(Pool())

  /// Returns `count` bytes.
  public static func bytes(_ count: Int) -> [UInt8] {
    guard count <= Pool.share else { return draw(count) }
    return pool.withLock { $0.take(count) }
  }

  /// 64 random bits.
  public static func word() -> UInt64 { pool.withLock { $0.takeWord() } }

  /// A token of 256 random bits: 43 characters of base64url.
  public static func token() -> String { Base64URL.encode(bytes(32)) }

  private static func draw(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    precondition(unsafe RAND_bytes(&bytes, Int32(count)) == 1, "OpenSSL's random generator failed")
    return bytes
  }

  /// Bytes drawn ahead; each is wiped as it is handed out.
  private struct Pool {
    static let size = 4096
    /// The most that one caller takes from the pool.
    static let share = 64

    private var bytes: [UInt8] = []
    private var used = 0

    mutating func takeWord() -> UInt64 {
      let range = reserve(8)
      var word: UInt64 = 0
      for position in range {
        word = word << 8 | UInt64(bytes[position])
        bytes[position] = 0
      }
      return word
    }

    /// Where the next `count` bytes stand.
    private mutating func reserve(_ count: Int) -> Range<Int> {
      if used + count > bytes.count {
        bytes = Random.draw(Self.size)
        used = 0
      }
      defer { used += count }
      return used..<used + count
    }

    mutating func take(_ count: Int) -> [UInt8] {
      let range = reserve(count)
      let taken = Array(bytes[range])
      unsafe bytes.withUnsafeMutableBytes {
        unsafe OPENSSL_cleanse($0.baseAddress?.advanced(by: range.lowerBound), count)
      }
      return taken
    }
  }
}
