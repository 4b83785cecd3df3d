import Testing

@testable import Pages

@Suite("The accent colour") struct AccentColourTests {
  @Test(
    "is a colour of six hexadecimal digits",
    arguments: ["", "1f4e79", "#1f4e7", "#1f4e79a", "#1g4e79", "#+1f4e7", "red", "#１f4e79"])
  func refused(text: String) { #expect(AccentColour(text) == nil) }

  @Test("stays as it was chosen where it can be read")
  func kept() throws {
    let style = try #require(AccentColour("#1f4e79")).style
    #expect(style.contains(":root{--link:#1f4e79;--accent:#1f4e79;--on-accent:#ffffff;"))
  }

  /// Every fifth step of red, green and blue.
  @Test("can be read on everything that it stands on, whatever was chosen")
  func readable() throws {
    for red in stride(from: 0, through: 255, by: 51) {
      for green in stride(from: 0, through: 255, by: 51) {
        for blue in stride(from: 0, through: 255, by: 51) {
          let text = "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
          let style = try #require(AccentColour(text)).style
          let values = style.split(separator: "#").dropFirst().map { $0.prefix(6) }
          #expect(values.count == 8)
          for (offset, grounds) in [(0, ["ffffff", "f4f5f4", "eef0ef"]), (4, ["121518", "1a1e22", "22272c"])] {
            let (accent, onAccent, tint) = (values[offset + 1], values[offset + 2], values[offset + 3])
            for ground in grounds + [String(onAccent), String(tint)] {
              let contrast = Self.contrast(String(accent), ground)
              #expect(contrast >= 4.5, "\(text): \(accent) on \(ground) has \(contrast)")
            }
          }
        }
      }
    }
  }

  /// The ratio by the formula of WCAG 2.2, with the power taken by repeated roots: 2.4 = 12/5.
  private static func contrast(_ one: String, _ other: String) -> Double {
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  private static func luminance(_ hex: String) -> Double {
    let number = Int(hex, radix: 16) ?? 0
    let parts = [number >> 16, number >> 8 & 0xFF, number & 0xFF].map { part -> Double in
      let value = Double(part) / 255
      if value <= 0.04045 { return value / 12.92 }
      let base = (value + 0.055) / 1.055
      return base * base * fifthRoot(base * base)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// By Newton's method.
  private static func fifthRoot(_ value: Double) -> Double {
    var root = 1.0
    for _ in 0..<60 { root -= (root * root * root * root * root - value) / (5 * root * root * root * root) }
    return root
  }
}
