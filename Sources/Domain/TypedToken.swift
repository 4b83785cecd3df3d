/// A token that was made elsewhere, as the person typed it, with what only they can know of it.
public struct TypedToken: Sendable, Equatable {
  public let token: Secret
  public let expiresAt: Timestamp
  /// What it was bound to when it was made; `nil` for a token that is bound to no referer.
  public let referer: String?

  public init(token: Secret, expiresAt: Timestamp, referer: String?) {
    self.token = token
    self.expiresAt = expiresAt
    self.referer = referer
  }

  /// In bytes.
  public static let longestToken = 16 * 1024

  /// What is wrong with it before anybody is asked, with the field to mend.
  public func objections(at now: Timestamp) -> [(field: String, text: String)] {
    var found: [(String, String)] = []
    let bytes = token.revealed
    if bytes.isEmpty {
      found.append(("token", "Enter the token."))
    } else if bytes.count > Self.longestToken || !bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
      found.append(("token", "A token has no spaces and no line breaks. Copy it alone, and whole."))
    }
    if expiresAt <= now { found.append(("expires", "The token has ended at this time. Enter one that still works.")) }
    let isField = referer?.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ?? true
    if !isField || referer?.utf8.count ?? 0 > 2048 {
      found.append(("referer", "A referer has letters, digits and signs of a web address only."))
    }
    return found
  }

  /// Reads `2026-12-31 14:30` (also with seconds, `T` between and `Z` at the end), a day alone, or the milliseconds
  /// since 1970 that ArcGIS answers as `expires`; `nil` for anything else.
  public static func moment(_ text: String) -> Timestamp? {
    if let number = Int64(text) { return number > 99_999_999_999 ? Timestamp(seconds: number / 1000) : nil }
    let parts = text.split(whereSeparator: { $0 == "T" || $0 == " " })
    guard let first = parts.first, parts.count <= 2, let day = Timestamp(day: String(first)) else { return nil }
    guard parts.count == 2 else { return day }
    let clock = (parts[1].hasSuffix("Z") ? parts[1].dropLast() : parts[1])
      .split(separator: ":", omittingEmptySubsequences: false)
    let numbers = clock.compactMap { $0.utf8.count == 2 ? Int64($0) : nil }
    guard numbers.count == clock.count, (2...3).contains(numbers.count), (0...23).contains(numbers[0]),
      numbers.dropFirst().allSatisfy({ (0...59).contains($0) })
    else { return nil }
    return day + numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
  }
}

extension TypedToken {
  /// What is wrong with it as an ArcGIS API key.
  public func keyObjections(at now: Timestamp) -> [(field: String, text: String)] {
    if token.isEmpty { return [("token", "Enter the API key.")] }
    if token.revealed.starts(with: Array("AAPK".utf8)) {
      return [
        (
          "token",
          "A key that begins with AAPK is of the retired kind, which ArcGIS no longer accepts. Create an API key "
            + "credential there and enter its key."
        )
      ]
    }
    return objections(at: now)
  }

  /// Which of the two slots of an API key credential it stands in, as the tenth byte from its end tells: 1 or 2.
  public var apiKeySlot: Int? {
    let bytes = token.revealed
    guard bytes.starts(with: Array("AAPT".utf8)), bytes.count > 10 else { return nil }
    return switch bytes[bytes.count - 10] {
    case UInt8(ascii: "1"): 1
    case UInt8(ascii: "2"): 2
    default: nil
    }
  }
}

/// What a person typed into the form of a service.
public enum TypedCredential: Sendable, Equatable {
  /// `isKept` when the person chose to keep it, so that tokens can be renewed without them.
  case login(TypedLogin, isKept: Bool)
  case token(TypedToken)
  case certificate(TypedCertificate)
  case keytab(TypedKeytab)
}
