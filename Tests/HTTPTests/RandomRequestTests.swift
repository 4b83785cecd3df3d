import HTTP
import Testing

/// A small seeded generator (SplitMix64), so that a failing case can be made again.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Bytes that are likely to matter to a parser.
private let marks = Array("\r\n\r\n: \t;,=0159aFG/%?*#\\\"[]@.-\u{0}\u{7F}é".utf8)

private let allSeeds = Case.all.filter { $0.input.count < 400 }
private let goodSeeds = allSeeds.filter { $0.expected.allSatisfy { $0.contains("/") } }

/// An input of the table with one to six bytes changed, removed, repeated or put in.
private func mutated(using random: inout SeededGenerator) -> [UInt8] {
  let seeds = Bool.random(using: &random) ? allSeeds : goodSeeds
  var bytes = seeds.randomElement(using: &random)?.input ?? []
  for _ in 0..<Int.random(in: 1...6, using: &random) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1 where place < bytes.count: bytes.remove(at: place)
    case 2: bytes.insert(contentsOf: bytes.suffix(from: place).prefix(30), at: place)
    case 3: bytes.insert(contentsOf: (seeds.randomElement(using: &random)?.input ?? []).prefix(60), at: place)
    default: bytes.insert(marks.randomElement(using: &random) ?? 0, at: place)
    }
  }
  return bytes
}

@Test("Twenty thousand mutated requests: no crash, and how they are cut changes nothing", arguments: 0..<20)
func mutations(seed: Int) {
  var random = SeededGenerator(state: UInt64(seed))
  for _ in 0..<1000 {
    let bytes = mutated(using: &random)
    let whole = Exchange.run(bytes)
    let cut = Exchange.run(bytes, pieces: Int.random(in: 1...9, using: &random))
    #expect(cut.details == whole.details, "seed \(seed): \(bytes)")
    for path in whole.paths {
      #expect(path == "*" || path.hasPrefix("/"))
      #expect(!(path + "/").contains("/../") && !path.contains("\u{0}") && !path.contains("\\"))
    }
  }
}
