import Crypto
import Testing

@Suite("Text forms of bytes") struct EncodingTests {
  /// RFC 4648 §10.
  @Test(
    "base64 and hex are those of RFC 4648",
    arguments: [
      ("", "", ""), ("f", "Zg==", "66"), ("fo", "Zm8=", "666f"), ("foo", "Zm9v", "666f6f"),
      ("foob", "Zm9vYg==", "666f6f62"), ("fooba", "Zm9vYmE=", "666f6f6261"), ("foobar", "Zm9vYmFy", "666f6f626172"),
    ])
  func vectors(text: String, base64: String, base16: String) {
    let bytes = Array(text.utf8)
    #expect(Base64.encode(bytes) == base64)
    #expect(Base64.decode(base64) == bytes)
    #expect(Base64URL.encode(bytes) == base64.filter { $0 != "=" })
    #expect(Base64URL.decode(base64.filter { $0 != "=" }) == bytes)
    #expect(Hex.encode(bytes) == base16)
    #expect(Hex.decode(base16.uppercased()) == bytes)
  }

  @Test("every byte survives") func everyByte() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
  }

  @Test(
    "base64url has one form only",
    arguments: ["Z", "Zh", "Zm9", "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "+_8", "-/8", "Zm9vY", "Zm-v."])
  func refusesBase64URL(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test(
    "base64 has one form only", arguments: ["Zg", "Zg=", "Zh==", "Zm9=", "Zg===", "====", "Z===", "Zm9v\n", "-_8="])
  func refusesBase64(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("hex has whole bytes only", arguments: ["0", "0g", "0x12", " 12"]) func refusesHex(text: String) {
    #expect(Hex.decode(text) == nil)
  }
}
