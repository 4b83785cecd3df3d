import Testing

@testable import QRCode

@Suite("QR codes")
struct QRCodeTests {
  /// The bytes of the text, the modules of a side, the mask, and the FNV-1a hash of the modules as python-qrcode 8 draws them.
  @Test(
    "are drawn as another encoder draws them, in every version",
    arguments: [
      (1, 21, 3, 0x3F7E66BBD232F285),
      (14, 21, 2, 0x455AE78E958B3D2B),
      (15, 25, 0, 0xE883BB2D27A9E32D),
      (26, 25, 6, 0x1589FAFC5ED55AD7),
      (40, 29, 4, 0x831331458EBFDDCC),
      (62, 33, 1, 0x8068603824F32A45),
      (84, 37, 1, 0x1E09D3E99DECC411),
      (100, 41, 7, 0x15D55CFFF9C0BBA9),
      (122, 45, 4, 0x421FD489701077E9),
      (152, 49, 5, 0xC0D5D3AA8E28D1AA),
      (180, 53, 2, 0xDC8DF130C2650A43),
      (213, 57, 4, 0xD2B08638E86A802F),
      (240, 61, 6, 0x41A7FB5DF363418D),
      (287, 65, 5, 0x441522C371E8D600),
      (331, 69, 4, 0x117528E75696D3DF),
      (360, 73, 1, 0x1198AABDB419CCFA),
      (412, 77, 3, 0x1753BAD393481598),
    ] as [(Int, Int, Int, UInt64)])
  func sameAsOthers(count: Int, size: Int, mask: Int, hash: UInt64) throws {
    let words = "otpauth://totp/Gatehouse:ana?secret=JBSWY3DPEHPK3PXP&issuer="
    let code = try #require(QRCode(String(String(repeating: words, count: 10).prefix(count)), Mask.all[mask]))
    #expect(code.size == size)
    let drawn = code.modules.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ ($1 ? 1 : 0)) &* 0x100_0000_01B3 }
    #expect(drawn == hash)
  }

  @Test("hold 412 bytes, and nothing longer")
  func limits() throws {
    #expect(QRCode.maximumBytes == 412)
    #expect(QRCode(String(repeating: "a", count: 412)) != nil)
    #expect(QRCode(String(repeating: "a", count: 413)) == nil)
    #expect(QRCode("")?.size == 21)
  }

  @Test("become a path that begins with the finder pattern, inside a quiet zone")
  func path() throws {
    let code = try #require(QRCode("a"))
    #expect(code.path.hasPrefix("M4 4h7v1h-7z"))
    #expect(code.pathSize == 29)
  }
}
