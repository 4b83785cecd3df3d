/// How the pages look to which a client sends people: its colour instead of the organisation's, and its logo above what
/// they are asked.
public struct ClientLook: Sendable, Equatable {
  /// The longest logo that is taken, in bytes: it is part of the weight of each page.
  public static let longestLogo = 32 * 1024

  /// Like `#1f4e79`.
  public var accent: String?
  /// A PNG image.
  public var logo: [UInt8]?

  public init(accent: String? = nil, logo: [UInt8]? = nil) {
    self.accent = accent
    self.logo = logo
  }

  /// Whether there is nothing of its own.
  public var isPlain: Bool { accent == nil && logo == nil }

  /// Everything that forbids such a look, with the field to mend.
  public var objections: [(field: String, text: String)] {
    var found: [(String, String)] = []
    if let accent, !Self.isColour(accent) {
      found.append(("accent", "Write the colour as # and six digits of 0 to 9 and a to f, such as #1f4e79."))
    }
    if let logo, !Self.isPNG(logo) { found.append(("logo", "The logo has to be a PNG image.")) }
    if let logo, logo.count > Self.longestLogo {
      found.append(("logo", "The logo has \(logo.count) bytes; use one of \(Self.longestLogo) at most."))
    }
    return found
  }

  private static func isColour(_ text: String) -> Bool {
    text.utf8.count == 7 && text.utf8.first == UInt8(ascii: "#")
      && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  /// Whether the bytes begin as PNG does, with its header chunk (PNG 3rd edition §5.2, §11.2.1).
  private static func isPNG(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8))
  }
}

/// What a page needs to know of a client's look: which parts there are, and of which version.
public struct ClientLookMark: Sendable, Equatable {
  public let client: ClientID
  public let hasAccent: Bool
  public let hasLogo: Bool
  public let changedAt: Timestamp

  public init(client: ClientID, hasAccent: Bool, hasLogo: Bool, changedAt: Timestamp) {
    self.client = client
    self.hasAccent = hasAccent
    self.hasLogo = hasLogo
    self.changedAt = changedAt
  }
}
