/// How large a code is: 1 to 15, each four modules larger on a side.
struct Version: Sendable {
  let number: Int

  static let largest = Version(number: 15)

  /// The smallest one for so many bytes; `nil` when there is none.
  static func fitting(_ count: Int) -> Version? {
    (1...largest.number).map(Version.init).first { $0.headerBits + count * 8 <= $0.dataCount * 8 }
  }

  var size: Int { 17 + 4 * number }

  /// Bits before the data: the mode and the count, which has two bytes from version 10 on.
  var headerBits: Int { 4 + countBits }
  var countBits: Int { number < 10 ? 8 : 16 }

  /// For error correction, in each block (ISO/IEC 18004, table 9, level M).
  var correctionCount: Int { [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24][number - 1] }
  var blockCount: Int { [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10][number - 1] }

  /// All codewords together.
  var codewordCount: Int {
    var modules = (16 * number + 128) * number + 64
    if number >= 2 {
      let count = number / 7 + 2
      modules -= (25 * count - 10) * count - 55
      if number >= 7 { modules -= 36 }
    }
    return modules / 8
  }

  var dataCount: Int { codewordCount - correctionCount * blockCount }

  /// The rows and columns in which alignment patterns have their middle.
  var alignment: [Int] {
    guard number > 1 else { return [] }
    let count = number / 7 + 2
    let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
    return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
  }
}
