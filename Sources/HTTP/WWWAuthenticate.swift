/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Equatable {
  /// In lower case: `basic`, `digest`, `negotiate`.
  public let scheme: String
  /// The single value that some schemes send instead of parameters.
  public let token: String?
  /// Names in lower case, values without their quotes; of a repeated name the first counts.
  public let parameters: [String: String]

  public init(scheme: String, token: String? = nil, parameters: [String: String] = [:]) {
    self.scheme = scheme
    self.token = token
    self.parameters = parameters
  }
}

extension Headers {
  /// The challenges of every `WWW-Authenticate` field, in order (RFC 9110 §11.6.1).
  ///
  /// A field is read up to what is malformed in it; the challenge which that stands in is left out.
  public var challenges: [AuthenticationChallenge] {
    values(of: "www-authenticate").flatMap { field in
      var reader = ChallengeReader(field)
      return reader.challenges()
    }
  }
}

/// Reads the challenges of one field.
///
/// A comma separates challenges as well as parameters, so each word is looked at together with what follows it: `=` makes
/// it a parameter of the challenge before.
private struct ChallengeReader {
  private let bytes: [UInt8]
  private var position = 0
  private var found: [AuthenticationChallenge] = []
  private var scheme: String?
  private var token: String?
  private var parameters: [String: String] = [:]

  init(_ field: String) { bytes = Array(field.utf8) }

  /// Every challenge; what is malformed drops the one that is being read, and the rest.
  mutating func challenges() -> [AuthenticationChallenge] {
    var mayBegin = true
    while true {
      mayBegin = skipCommas() || mayBegin
      if position == bytes.count { break }
      guard readElement(mayBeginChallenge: mayBegin) else { return found }
      mayBegin = false
    }
    finish()
    return found
  }

  /// Reads a parameter, or a scheme with what belongs to it alone; `false` when it is neither.
  private mutating func readElement(mayBeginChallenge: Bool) -> Bool {
    let start = position
    position = bytes.span.endOfToken(from: start)
    guard position > start else { return false }
    let word = bytes.span.text(start..<position).lowercased()
    let end = position
    skipBlanks()
    if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
      position &+= 1
      return readValue(of: word)
    }
    guard mayBeginChallenge else { return false }
    finish()
    scheme = word
    // One space at least stands between a scheme and what follows it.
    guard position > end || position == bytes.count || bytes[position] == UInt8(ascii: ",") else { return false }
    token = readToken68()
    return true
  }

  /// Reads the value behind `=`: a token or a quoted string.
  private mutating func readValue(of name: String) -> Bool {
    guard scheme != nil, token == nil else { return false }
    skipBlanks()
    let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
    guard let value = isQuoted ? quotedString() : plainValue() else { return false }
    if parameters[name] == nil { parameters[name] = value }
    skipBlanks()
    return position == bytes.count || bytes[position] == UInt8(ascii: ",")
  }

  private mutating func plainValue() -> String? {
    let start = position
    position = bytes.span.endOfToken(from: start)
    return position > start ? bytes.span.text(start..<position) : nil
  }

  private mutating func quotedString() -> String? {
    var value: [UInt8] = []
    position &+= 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position &+= 1
        return value.span.text(0..<value.count)
      case UInt8(ascii: "\\"):
        position &+= 1
        guard position < bytes.count else { return nil }
        value.append(bytes[position])
      case let byte: value.append(byte)
      }
      position &+= 1
    }
    return nil
  }

  /// A token68 that nothing but a comma follows (RFC 9110 §11.2); else nothing is read.
  private mutating func readToken68() -> String? {
    var end = position
    while end < bytes.count, isToken68Character(bytes[end]) { end &+= 1 }
    guard end > position else { return nil }
    while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end &+= 1 }
    var next = end
    while next < bytes.count, isBlank(bytes[next]) { next &+= 1 }
    guard next == bytes.count || bytes[next] == UInt8(ascii: ",") else { return nil }
    defer { position = next }
    return bytes.span.text(position..<end)
  }

  /// Whether there was a comma.
  private mutating func skipCommas() -> Bool {
    var hasComma = false
    while position < bytes.count, bytes[position] == UInt8(ascii: ",") || isBlank(bytes[position]) {
      hasComma = hasComma || bytes[position] == UInt8(ascii: ",")
      position &+= 1
    }
    return hasComma
  }

  private mutating func skipBlanks() {
    while position < bytes.count, isBlank(bytes[position]) { position &+= 1 }
  }

  private mutating func finish() {
    if let scheme { found.append(.init(scheme: scheme, token: token, parameters: parameters)) }
    scheme = nil
    token = nil
    parameters = [:]
  }
}
