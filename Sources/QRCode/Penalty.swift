extension ModuleGrid {
  /// How hard the code is to read (§7.8.3); the mask with the least is taken.
  var penalty: Int {
    let side = Int(Double(modules.count).squareRoot())
    let rows = (0..<side).map { row in (0..<side).map { modules[row * side + $0] == .dark } }
    let columns = (0..<side).map { column in rows.map { $0[column] } }
    let lines = (rows + columns).reduce(0) { $0 + Self.runs(in: $1) + Self.finderLike(in: $1) }
    return lines + Self.blocks(in: rows) + Self.imbalance(of: rows)
  }

  /// Five or more modules of one colour in a line.
  private static func runs(in line: [Bool]) -> Int {
    var (penalty, length) = (0, 0)
    for place in line.indices {
      length = place > 0 && line[place] == line[place - 1] ? length + 1 : 1
      if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
    }
    return penalty
  }

  /// What looks like the middle of a finder pattern with four light modules before or behind.
  private static func finderLike(in line: [Bool]) -> Int {
    let pattern = [true, false, true, true, true, false, true]
    let light = [Bool](repeating: false, count: 4)
    let padded = light + line + light
    return padded.indices.dropLast(10).reduce(0) { penalty, start in
      let window = Array(padded[start..<start + 11])
      return penalty + (window == pattern + light || window == light + pattern ? 40 : 0)
    }
  }

  /// Squares of two by two of one colour.
  private static func blocks(in rows: [[Bool]]) -> Int {
    var penalty = 0
    for row in rows.indices.dropLast() {
      for column in rows.indices.dropLast() {
        let colour = rows[row][column]
        let isBlock =
          rows[row][column + 1] == colour && rows[row + 1][column] == colour && rows[row + 1][column + 1] == colour
        if isBlock { penalty += 3 }
      }
    }
    return penalty
  }

  /// Ten for every five percent that the dark ones are away from half.
  private static func imbalance(of rows: [[Bool]]) -> Int {
    let total = rows.count * rows.count
    let dark = rows.reduce(0) { $0 + $1.count { $0 } }
    return max(0, (abs(dark * 20 - total * 10) + total - 1) / total - 1) * 10
  }
}
