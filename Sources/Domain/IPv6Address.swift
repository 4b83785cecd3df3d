/// An IPv6 address, read strictly so that every text of one address gives the same value.
///
/// No zone and no dotted IPv4 ending: programs differ about both.
struct IPv6Address {
  private let groups: [UInt16]

  /// Reads the colon form without brackets (RFC 4291 §2.2), in upper or lower case.
  init?(_ text: Substring) {
    let halves = text.split(separator: "::", omittingEmptySubsequences: false).map(Self.groups)
    switch (halves.first ?? nil, halves.count > 1 ? halves[1] : nil, halves.count) {
    case (let all?, _, 1) where all.count == 8: groups = all
    case (let head?, let tail?, 2) where head.count + tail.count < 8:
      groups = head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
    default: return nil
    }
  }

  private static func groups(of text: Substring) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    for digits in text.split(separator: ":", omittingEmptySubsequences: false) {
      // The length first: the number parser would take a sign.
      guard (1...4).contains(digits.count), digits.first != "+", let group = UInt16(digits, radix: 16) else {
        return nil
      }
      groups.append(group)
    }
    return groups
  }

  /// The canonical text (RFC 5952 §4): lower case, no leading zeros, the longest run of zeros as `::`.
  var text: String {
    let zeros = longestZeros
    guard zeros.count > 1 else { return Self.joined(groups[...]) }
    return "\(Self.joined(groups[..<zeros.lowerBound]))::\(Self.joined(groups[zeros.upperBound...]))"
  }

  private var longestZeros: Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index + 1 } else if index + 1 - start > longest.count { longest = start..<index + 1 }
    }
    return longest
  }

  private static func joined(_ groups: ArraySlice<UInt16>) -> String {
    groups.map { String($0, radix: 16) }.joined(separator: ":")
  }
}
