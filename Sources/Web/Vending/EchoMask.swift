import Domain
import HTTP

/// Blots out a secret in a body on its way, in bounded memory: every byte of it becomes `*`, so that lengths stay true.
struct EchoMask: Sendable {
  private let secret: [UInt8]
  /// By the byte that stands under the secret's last one: how far on the secret can begin at the earliest.
  private let skips: [Int]
  /// What came last, and may be the beginning of it.
  private var held: [UInt8] = []

  /// In bytes; what is shorter stands in many a text by chance.
  private static let shortest = 16

  /// Those for what an upstream was shown, in each spelling that its answers may have.
  static func masks(of secrets: [Secret]) -> [EchoMask] {
    let spellings = secrets.map(\.revealedText).filter { $0.utf8.count >= shortest }.flatMap { text in
      [text, PercentCoding.encode(text), text.replacing("/", with: "\\/")]
    }
    return Set(spellings).map { EchoMask(Array($0.utf8)) }
  }

  private init(_ secret: [UInt8]) {
    self.secret = secret
    var skips = [Int](repeating: secret.count, count: 256)
    for (position, byte) in secret.dropLast().enumerated() { skips[Int(byte)] = secret.count - 1 - position }
    self.skips = skips
  }

  /// Whether `text` holds it.
  func finds(in text: String) -> Bool { place(in: Array(text.utf8), from: 0) != nil }

  /// Takes the next piece, and gives what can go on.
  mutating func take(_ piece: [UInt8]) -> [UInt8] {
    var bytes = held.isEmpty ? piece : held + piece
    var start = 0
    while let found = place(in: bytes, from: start) {
      start = found + secret.count
      for position in found..<start { bytes[position] = UInt8(ascii: "*") }
    }
    let rest = unfinished(in: bytes[start...])
    held = Array(bytes.suffix(rest))
    bytes.removeLast(rest)
    return bytes
  }

  /// What is left at the end.
  mutating func finish() -> [UInt8] {
    defer { held = [] }
    return held
  }

  /// Where it stands next (the algorithm of Boyer, Moore and Horspool).
  private func place(in bytes: [UInt8], from start: Int) -> Int? {
    let (text, wanted, steps) = (bytes.span, secret.span, skips.span)
    let last = wanted.count - 1
    var position = start
    while position + last < text.count {
      let byte = text[position + last]
      if byte == wanted[last], (0..<last).allSatisfy({ text[position + $0] == wanted[$0] }) { return position }
      position += steps[Int(byte)]
    }
    return nil
  }

  /// How many of the last bytes may be the beginning of it.
  private func unfinished(in bytes: ArraySlice<UInt8>) -> Int {
    let most = min(secret.count - 1, bytes.count)
    return (0..<most).map { most - $0 }.first {
      bytes[bytes.endIndex - $0] == secret[0] && bytes.suffix($0).elementsEqual(secret.prefix($0))
    } ?? 0
  }
}

extension [EchoMask] {
  mutating func take(_ piece: [UInt8]) -> [UInt8] {
    indices.reduce(piece) { self[$1].take($0) }
  }

  /// What each still holds goes through those behind it.
  mutating func finish() -> [UInt8] {
    indices.reduce([]) { self[$1].take($0) + self[$1].finish() }
  }
}
