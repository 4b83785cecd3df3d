import HTTP

/// What a trusted proxy says about who sent a request.
struct ForwardedFields: Equatable {
  /// The last address before the trusted proxies.
  let client: IPAddress?
  /// Whether that client used TLS; `nil` when nothing is said.
  let isSecure: Bool?

  /// Reads `X-Forwarded-For` and `X-Forwarded-Proto`, or `Forwarded` (RFC 7239 §4).
  ///
  /// Lists are read from their end, because only what a trusted proxy added can be believed.
  /// - Throws: ``ParseFailure`` 400 when both kinds are there and differ: a proxy that sets one of them passes on the
  ///   client's own other one, so neither can be believed. The same when `Forwarded` is malformed or says something
  ///   twice: a part of it may be the client's own.
  init(_ headers: Headers, trusts: (IPAddress) -> Bool) throws(ParseFailure) {
    let usual = Self.usual(headers, trusts)
    let standard = try Self.standard(headers, trusts)
    if let usual, let standard, usual != standard {
      throw ParseFailure(400, "Forwarded and X-Forwarded fields differ")
    }
    self = usual ?? standard ?? ForwardedFields(client: nil, isSecure: nil)
  }

  private init(client: IPAddress?, isSecure: Bool?) {
    self.client = client
    self.isSecure = isSecure
  }

  private static func usual(_ headers: Headers, _ trusts: (IPAddress) -> Bool) -> ForwardedFields? {
    let chain = elements(headers.values(of: "x-forwarded-for")).map(address)
    let scheme = elements(headers.values(of: "x-forwarded-proto")).last
    guard !chain.isEmpty || scheme != nil else { return nil }
    return ForwardedFields(client: client(of: chain, trusts), isSecure: scheme.map(isSecure))
  }

  private static func standard(
    _ headers: Headers, _ trusts: (IPAddress) -> Bool
  ) throws(ParseFailure) -> ForwardedFields? {
    var hops: [[String: String]] = []
    for value in headers.values(of: "forwarded") {
      for element in try split(value[...], at: ",") where !element.isEmpty { hops.append(try parameters(element)) }
    }
    guard let last = hops.last else { return nil }
    let chain = hops.map { $0["for"].flatMap { address($0[...]) } }
    return ForwardedFields(client: client(of: chain, trusts), isSecure: last["proto"].map { isSecure($0[...]) })
  }

  /// The nearest address that is not a trusted proxy; nothing beyond an entry that is no address is believed.
  private static func client(of chain: [IPAddress?], _ trusts: (IPAddress) -> Bool) -> IPAddress? {
    var nearest: IPAddress?
    for entry in chain.reversed() {
      guard let entry else { return nearest }
      nearest = entry
      if !trusts(entry) { return entry }
    }
    return nearest
  }

  private static func isSecure(_ scheme: Substring) -> Bool { scheme.lowercased() == "https" }

  private static func elements(_ values: [String]) -> [Substring] {
    values.flatMap { $0.split(separator: ",") }.map(trimmed).filter { !$0.isEmpty }
  }

  /// `for=192.0.2.60;proto=http` as names in lower case and values without quotes.
  private static func parameters(_ element: Substring) throws(ParseFailure) -> [String: String] {
    var found: [String: String] = [:]
    for pair in try split(element, at: ";") where !pair.isEmpty {
      let parts = pair.split(separator: "=", maxSplits: 1).map(trimmed)
      guard parts.count == 2, found.updateValue(unquoted(parts[1]), forKey: parts[0].lowercased()) == nil else {
        throw malformed
      }
    }
    return found
  }

  private static let malformed = ParseFailure(400, "Forwarded is malformed")

  /// The trimmed parts between separators, of which none counts that stands in a quoted string (RFC 7239 §4).
  private static func split(_ text: Substring, at separator: Character) throws(ParseFailure) -> [Substring] {
    var parts: [Substring] = []
    var (start, isQuoted, isEscaped) = (text.startIndex, false, false)
    for (position, character) in zip(text.indices, text) {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == separator, !isQuoted {
        parts.append(trimmed(text[start..<position]))
        start = text.index(after: position)
      }
    }
    if isQuoted { throw malformed }
    return parts + [trimmed(text[start...])]
  }

  private static func unquoted(_ value: Substring) -> String {
    guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
    return String(value.dropFirst().dropLast().replacing(/\\(.)/) { $0.1 })
  }

  /// An address with or without port, brackets only around IPv6 (RFC 7239 §6).
  private static func address(_ text: Substring) -> IPAddress? {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return IPAddress(String(text[text.index(after: text.startIndex)..<end]))?.unmapped
    }
    if let plain = IPAddress(String(text)) { return plain.unmapped }
    return text.split(separator: ":", maxSplits: 1).first.flatMap { IPAddress(String($0)) }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
