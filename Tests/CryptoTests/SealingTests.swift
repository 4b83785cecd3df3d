import Crypto
import Testing

@Suite("Sealing") struct SealingTests {
  static let key = Random.bytes(32)

  @Test("opens what was sealed", arguments: [0, 1, 16, 4096]) func roundTrip(count: Int) throws {
    let message = [UInt8](repeating: 7, count: count)
    let sealed = try AESGCM(key: Self.key).seal(message, context: [1])
    #expect(sealed.count == count + 28)
    #expect(try AESGCM(key: Self.key).open(sealed, context: [1]) == message)
  }

  @Test("never seals alike twice") func fresh() throws {
    let box = AESGCM(key: Self.key)
    #expect(Set(try (0..<200).map { _ in try box.seal([1], context: []) }).count == 200)
  }

  @Test("refuses another context, another key, and any changed or missing byte") func tampering() throws {
    let box = AESGCM(key: Self.key)
    let sealed = try box.seal(Array("secret".utf8), context: Array("row 1".utf8))
    #expect(throws: CryptoError.notAuthentic) { try box.open(sealed, context: Array("row 2".utf8)) }
    #expect(throws: CryptoError.notAuthentic) {
      try AESGCM(key: Random.bytes(32)).open(sealed, context: Array("row 1".utf8))
    }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x80
      #expect(throws: CryptoError.notAuthentic) { try box.open(changed, context: Array("row 1".utf8)) }
      #expect(throws: CryptoError.notAuthentic) {
        try box.open(Array(sealed.prefix(index)), context: Array("row 1".utf8))
      }
    }
  }

  /// RFC 3394 §4.6.
  @Test("wraps a key as RFC 3394 does") func keyWrap() throws {
    let wrap = KeyWrap(key: hex("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"))
    let content = hex("00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F")
    let wrapped = hex("28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21")
    #expect(try wrap.wrap(content) == wrapped)
    #expect(try wrap.unwrap(wrapped) == content)
    #expect(throws: CryptoError.notAuthentic) { try KeyWrap(key: Self.key).unwrap(wrapped) }
    #expect(throws: CryptoError.self) { try wrap.wrap([1, 2, 3]) }
  }
}
