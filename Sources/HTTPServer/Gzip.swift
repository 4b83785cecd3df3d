import CZlib

/// The gzip coding (RFC 1952), for content that is compressed once and sent often.
enum Gzip {
  /// Leaves out the file's name and time, so that the same bytes always give the same bytes.
  private static let gzipWindow: Int32 = 15 + 16
  private static let level: Int32 = 9
  private static let memoryLevel: Int32 = 9

  /// `bytes` compressed as far as zlib can; `nil` when that is no smaller, or memory is short.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = unsafe z_stream()
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    let begun = unsafe deflateInit2_(
      &stream, level, Z_DEFLATED, gzipWindow, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    guard begun == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count)
    let isWhole = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        return unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
      }
    }
    let count = unsafe Int(stream.total_out)
    return isWhole && count < bytes.count ? Array(output[..<count]) : nil
  }
}
