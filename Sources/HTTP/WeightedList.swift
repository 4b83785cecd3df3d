/// The members of an `Accept`-like field with their weights (RFC 9110 §12.4.2).
public struct WeightedList: Sendable {
  /// In the order sent; a member with a malformed weight is left out.
  public let members: [Member]

  /// One member.
  public struct Member: Sendable, Equatable {
    /// In lower case, with the parameters before `q`.
    public let value: String
    /// 0 (refused) … 1000 (the default).
    public let weight: Int
  }

  /// The members of all `lines` together.
  public init(_ lines: [String]) {
    members = lines.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }.compactMap(Self.member)
  }

  /// The weight of `value` itself; `nil` when it is not listed.
  public func weight(of value: String) -> Int? { members.first { $0.value == value }?.weight }

  /// The values that are not refused, the best first; equal ones in the order sent.
  public var preferred: [String] {
    members.enumerated().filter { $0.element.weight > 0 }
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element.value)
  }

  private static func member(_ text: Substring.UTF8View) -> Member? {
    let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmedText)
    guard let first = parts.first, !first.isEmpty else { return nil }
    guard let mark = parts.dropFirst().firstIndex(where: { $0.hasPrefix("q=") }) else {
      return Member(value: parts.joined(separator: ";"), weight: 1000)
    }
    guard let weight = weight(parts[mark].utf8.dropFirst(2)) else { return nil }
    return Member(value: parts[..<mark].joined(separator: ";"), weight: weight)
  }

  private static func trimmedText(_ text: Substring.UTF8View) -> String {
    let bytes = Array(text)
    return bytes.span.text(bytes.span.trimmed(0..<bytes.count)).lowercased()
  }

  /// `0`, `1`, and up to three decimals, in thousandths.
  private static func weight(_ digits: some Collection<UInt8>) -> Int? {
    var weight = 0
    var scale = 1000
    for (offset, byte) in digits.enumerated() {
      if offset == 1 {
        guard byte == UInt8(ascii: ".") else { return nil }
        continue
      }
      guard isDigit(byte), scale > 0 else { return nil }
      weight += Int(byte - UInt8(ascii: "0")) * scale
      scale /= 10
    }
    return digits.isEmpty || weight > 1000 ? nil : weight
  }
}

extension Headers {
  /// Whether the client takes a gzip-coded body (RFC 9110 §12.5.3); it says so by name or by `*`.
  public var acceptsGzip: Bool {
    let codings = WeightedList(values(of: "accept-encoding"))
    let weight = codings.weight(of: "gzip") ?? codings.weight(of: "x-gzip") ?? codings.weight(of: "*")
    return (weight ?? 0) > 0
  }

  /// How much the client wants `type` (`text/html`): 0 (not at all) … 1000 (RFC 9110 §12.5.1).
  ///
  /// The most specific range counts; parameters other than `q` are not looked at. Without `Accept` it is 1000.
  public func acceptWeight(of type: String) -> Int {
    let ranges = WeightedList(values(of: "accept"))
    if ranges.members.isEmpty { return 1000 }
    let family = type.prefix { $0 != "/" } + "/*"
    return ranges.weight(of: type) ?? ranges.weight(of: String(family)) ?? ranges.weight(of: "*/*") ?? 0
  }
}
