/// A code while it is drawn.
struct ModuleGrid {
  enum Module {
    case dark
    case light
    /// Not drawn yet: data goes there.
    case free
  }

  private(set) var modules: [Module]
  private let version: Version

  private var size: Int { version.size }

  /// One with everything that does not depend on the data.
  init(_ version: Version) {
    self.version = version
    modules = Array(repeating: .free, count: version.size * version.size)
    for place in 0..<size {
      set(6, place, place.isMultiple(of: 2))
      set(place, 6, place.isMultiple(of: 2))
    }
    for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
    drawAlignments()
    // Its places are taken; what stands there depends on the mask.
    drawFormat(Mask.all[0])
    drawVersion()
  }

  private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
    modules[row * size + column] = isDark ? .dark : .light
  }

  private mutating func drawFinder(_ row: Int, _ column: Int) {
    for y in -4...4 {
      for x in -4...4 where (0..<size).contains(row + y) && (0..<size).contains(column + x) {
        let distance = max(abs(x), abs(y))
        set(row + y, column + x, distance != 2 && distance != 4)
      }
    }
  }

  private mutating func drawAlignments() {
    let places = version.alignment
    guard let first = places.first, let last = places.last else { return }
    for row in places {
      for column in places where ![[first, first], [first, last], [last, first]].contains([row, column]) {
        for y in -2...2 { for x in -2...2 { set(row + y, column + x, max(abs(x), abs(y)) != 1) } }
      }
    }
  }

  /// The level and the mask, twice, with their own error correction (§7.9).
  mutating func drawFormat(_ mask: Mask) {
    // Level M is written as 0.
    let bits = Self.corrected(mask.number, bits: 10, generator: 0x537) ^ 0x5412
    func isDark(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
    for bit in 0...5 { set(bit, 8, isDark(bit)) }
    set(7, 8, isDark(6))
    set(8, 8, isDark(7))
    set(8, 7, isDark(8))
    for bit in 9..<15 { set(8, 14 - bit, isDark(bit)) }
    for bit in 0..<8 { set(8, size - 1 - bit, isDark(bit)) }
    for bit in 8..<15 { set(size - 15 + bit, 8, isDark(bit)) }
    set(size - 8, 8, true)
  }

  /// The number of the version, twice, from 7 on (§7.10).
  private mutating func drawVersion() {
    guard version.number >= 7 else { return }
    let bits = Self.corrected(version.number, bits: 12, generator: 0x1F25)
    for bit in 0..<18 {
      let (far, near) = (size - 11 + bit % 3, bit / 3)
      set(near, far, bits >> bit & 1 == 1)
      set(far, near, bits >> bit & 1 == 1)
    }
  }

  /// A number followed by its remainder.
  private static func corrected(_ number: Int, bits: Int, generator: Int) -> Int {
    var remainder = number
    for _ in 0..<bits { remainder = remainder << 1 ^ (remainder >> (bits - 1)) * generator }
    return number << bits | remainder
  }

  /// Fills what is free in columns of two, up and down from the right, leaving the timing pattern out (§7.7.3).
  mutating func drawData(_ data: [UInt8], _ mask: Mask) {
    var bit = 0
    var isUpward = true
    for right in stride(from: size - 1, through: 1, by: -2) {
      let right = right <= 6 ? right - 1 : right
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where modules[row * size + column] == .free {
          let isDark = bit < data.count * 8 && data[bit / 8] >> (7 - bit % 8) & 1 == 1
          set(row, column, isDark != mask.inverts(row, column))
          bit += 1
        }
      }
      isUpward.toggle()
    }
  }
}

/// Which of the data modules are inverted (§7.8.2).
struct Mask {
  let number: Int

  static let all = (0..<8).map(Mask.init)

  func inverts(_ row: Int, _ column: Int) -> Bool {
    switch number {
    case 0: (row + column).isMultiple(of: 2)
    case 1: row.isMultiple(of: 2)
    case 2: column.isMultiple(of: 3)
    case 3: (row + column).isMultiple(of: 3)
    case 4: (row / 2 + column / 3).isMultiple(of: 2)
    case 5: row * column % 2 + row * column % 3 == 0
    case 6: (row * column % 2 + row * column % 3).isMultiple(of: 2)
    default: ((row + column) % 2 + row * column % 3).isMultiple(of: 2)
    }
  }
}
