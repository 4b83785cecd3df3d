/// Finds what somebody probably meant by a word that is not understood.
enum Spelling {
  /// ` Did you mean 'client'?` behind a sentence, or nothing.
  static func suggestion(for word: String, among words: [String]) -> String {
    nearest(to: word, among: words).map { " Did you mean '\($0)'?" } ?? ""
  }

  /// The word that differs least, unless it differs too much to be meant.
  static func nearest(to word: String, among words: [String]) -> String? {
    let tolerance = word.count <= 3 ? 1 : word.count <= 8 ? 2 : 3
    let ranked = words.map { (word: $0, distance: $0.hasPrefix(word) ? 1 : distance(word, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= tolerance else { return nil }
    return best.word
  }

  /// `a, b or c`.
  static func list(_ words: [String], _ joint: String = "or") -> String {
    guard words.count > 1, let last = words.last else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " \(joint) \(last)"
  }

  /// How many letters must be put in, left out, changed or swapped with their neighbour (optimal string alignment).
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
