internal import CZlib

/// The checksum of zlib and PNG (RFC 1952 §8), which finds slips and keeps nobody from anything.
public enum CRC32 {
  public static func checksum(of bytes: [UInt8]) -> UInt32 {
    unsafe UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(clamping: bytes.count)))
  }
}
