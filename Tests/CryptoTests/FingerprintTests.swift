import Crypto
import Testing

@Suite("Fingerprints")
struct FingerprintTests {
  private let fingerprints = Fingerprints()

  @Test("recognise the same bytes and no others", arguments: [0, 1, 15, 16, 17, 64, 1000])
  func recognises(length: Int) {
    let bytes = Random.bytes(length)
    let known = fingerprints.fingerprint(of: bytes)
    #expect(fingerprints.fingerprint(of: bytes) == known)
    for bit in 0..<length * 8 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(fingerprints.fingerprint(of: other) != known, "bit \(bit)")
    }
    for other in [bytes + [0], [0] + bytes, Array(bytes.dropLast())] where other != bytes {
      #expect(fingerprints.fingerprint(of: other) != known)
    }
  }

  @Test("are worth nothing elsewhere")
  func elsewhere() {
    #expect(Fingerprints().fingerprint(of: [1, 2, 3]) != fingerprints.fingerprint(of: [1, 2, 3]))
  }

  @Test("are the same for every thread")
  func threads() async {
    let messages = (0..<64).map { _ in Random.bytes(200) }
    let known = messages.map(fingerprints.fingerprint(of:))
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { [fingerprints] in messages.map(fingerprints.fingerprint(of:)) == known }
      }
      for await isSame in group { #expect(isSame) }
    }
  }
}
