import Glibc

/// The colour that an organisation chose for its buttons and links, in the shades that can be read on our pages.
///
/// The chosen colour is made darker for the light palette and lighter for the dark one, until it has a contrast of 4.5 to
/// everything that it stands on (WCAG 2.2, 1.4.3).
public struct AccentColour: Sendable, Equatable {
  private let chosen: Colour

  /// Reads `#1f4e79`; `nil` for anything else.
  public init?(_ text: String) {
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6, text.dropFirst().allSatisfy(\.isHexDigit),
      let number = Int(text.dropFirst(), radix: 16)
    else { return nil }
    chosen = Colour(red: number >> 16, green: number >> 8 & 0xFF, blue: number & 0xFF)
  }

  /// The tokens of the style sheet that the colour replaces, to be added at its end.
  public var style: String {
    let light = Self.tokens(chosen, toward: Colour(0), on: Palette.light, text: Colour(0xFFFFFF))
    let dark = Self.tokens(chosen, toward: Colour(0xFFFFFF), on: Palette.dark, text: Colour(0x0D1216))
    return "\n:root{\(light)}\n@media (prefers-color-scheme:dark){:root{\(dark)}}\n"
  }

  private static func tokens(_ chosen: Colour, toward end: Colour, on palette: Palette, text: Colour) -> String {
    var (shade, tint) = (chosen, chosen)
    for step in 0...50 {
      shade = chosen.mixed(with: end, Double(step) / 50)
      tint = shade.mixed(with: palette.surface, palette.tintShare)
      let isReadable = (palette.grounds + [tint, text]).allSatisfy { shade.contrast(to: $0) >= 4.5 }
      if isReadable { break }
    }
    return "--link:\(shade.hex);--accent:\(shade.hex);--on-accent:\(text.hex);--accent-tint:\(tint.hex)"
  }
}

/// What the colour stands on, as in `Public/assets/style.css`.
private struct Palette {
  let surface: Colour
  let grounds: [Colour]
  /// How much of the surface is in the tint.
  let tintShare: Double

  static let light = Palette(
    surface: Colour(0xFFFFFF), grounds: [Colour(0xFFFFFF), Colour(0xF4F5F4), Colour(0xEEF0EF)], tintShare: 0.9)
  static let dark = Palette(
    surface: Colour(0x1A1E22), grounds: [Colour(0x121518), Colour(0x1A1E22), Colour(0x22272C)], tintShare: 0.85)
}

/// A colour in sRGB; each part 0 … 255.
private struct Colour: Equatable {
  let red: Int
  let green: Int
  let blue: Int

  init(red: Int, green: Int, blue: Int) { (self.red, self.green, self.blue) = (red, green, blue) }

  init(_ number: Int) { self.init(red: number >> 16, green: number >> 8 & 0xFF, blue: number & 0xFF) }

  var hex: String {
    "#"
      + [red, green, blue].map { part in
        let digits = String(part, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
  }

  func mixed(with other: Colour, _ share: Double) -> Colour {
    func mix(_ one: Int, _ two: Int) -> Int { Int((Double(one) * (1 - share) + Double(two) * share).rounded()) }
    return Colour(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
  }

  /// 1 … 21 (WCAG 2.2, “contrast ratio”).
  func contrast(to other: Colour) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  private var luminance: Double {
    func linear(_ part: Int) -> Double {
      let value = Double(part) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
