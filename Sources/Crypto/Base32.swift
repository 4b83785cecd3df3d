/// Base 32 (RFC 4648 §6) without padding, written in upper case.
public enum Base32 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for byte in bytes {
      buffer = (buffer << 8 | Int(byte)) & 0xFFF
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(letters[buffer >> bits & 31])
      }
    }
    if bits > 0 { text.append(letters[buffer << (5 - bits) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }
}
