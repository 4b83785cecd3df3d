/// The data of a code in blocks, each with its error correction.
struct Codewords {
  private let version: Version
  private let data: [UInt8]

  /// Encodes bytes, which have to fit.
  init(_ bytes: [UInt8], _ version: Version) {
    self.version = version
    var bits = BitBuffer()
    bits.append(0b0100, count: 4)
    bits.append(bytes.count, count: version.countBits)
    for byte in bytes { bits.append(Int(byte), count: 8) }
    bits.append(0, count: min(4, version.dataCount * 8 - bits.count))
    var data = bits.bytes
    while data.count < version.dataCount { data.append(data.count.isMultiple(of: 2) == bits.padsEven ? 0xEC : 0x11) }
    self.data = data
  }

  /// The first codeword of every block, then the second, and so on; the error correction follows in the same way.
  var interleaved: [UInt8] {
    let blocks = blocks
    let divisor = ReedSolomon(degree: version.correctionCount)
    let corrections = blocks.map(divisor.remainder)
    let longest = blocks.map(\.count).max() ?? 0
    var result: [UInt8] = []
    for place in 0..<longest { for block in blocks where place < block.count { result.append(block[place]) } }
    for place in 0..<version.correctionCount { for block in corrections { result.append(block[place]) } }
    return result
  }

  /// The data in blocks, of which the last ones may be one longer.
  private var blocks: [[UInt8]] {
    let (count, short) = (version.blockCount, version.dataCount / version.blockCount)
    let shortBlocks = count - version.dataCount % count
    var rest = data[...]
    return (0..<count).map { index in
      let block = Array(rest.prefix(short + (index < shortBlocks ? 0 : 1)))
      rest = rest.dropFirst(block.count)
      return block
    }
  }
}

/// Bits in order, the first one the highest of the first byte.
private struct BitBuffer {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// Whether the first byte of padding stands at an even place.
  var padsEven: Bool { bytes.count.isMultiple(of: 2) }

  mutating func append(_ value: Int, count bits: Int) {
    for bit in (0..<bits).reversed() {
      if count.isMultiple(of: 8) { bytes.append(0) }
      if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 0x80 >> (count % 8) }
      count += 1
    }
  }
}

/// Division by the generator polynomial over GF(2⁸) with the modulus x⁸ + x⁴ + x³ + x² + 1.
private struct ReedSolomon {
  private let divisor: [UInt8]

  init(degree: Int) {
    var divisor = [UInt8](repeating: 0, count: degree)
    divisor[degree - 1] = 1
    var root: UInt8 = 1
    for _ in 0..<degree {
      for place in 0..<degree {
        divisor[place] = Self.product(divisor[place], root)
        if place + 1 < degree { divisor[place] ^= divisor[place + 1] }
      }
      root = Self.product(root, 2)
    }
    self.divisor = divisor
  }

  func remainder(_ data: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for place in result.indices { result[place] ^= Self.product(divisor[place], factor) }
    }
    return result
  }

  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var product = 0
    for bit in (0..<8).reversed() {
      product = product << 1 ^ (product >> 7) * 0x11D
      product ^= (Int(b) >> bit & 1) * Int(a)
    }
    return UInt8(product)
  }
}
