public import Pages

/// What a browser calls itself, in words that its owner recognises; anything can claim to be any browser.
public struct BrowserName: Sendable {
  public let words: Words

  public init(_ userAgent: String) {
    let browser = Self.first(of: Self.browsers, in: userAgent) ?? Self.product(userAgent)
    let system = Self.first(of: Self.systems, in: userAgent)
    guard let browser else {
      words = system.map { "An unknown browser on \($0)" } ?? "An unknown browser"
      return
    }
    words = system.map { "\(browser) on \($0)" } ?? "\(browser)"
  }

  // The most particular mark first: most browsers also name those that they descend from.
  private static let browsers = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Vivaldi/", "Vivaldi"), ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"), ("w3m/", "w3m"), ("Lynx/", "Lynx"),
  ]
  private static let systems = [
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
  ]

  private static func first(of marks: [(mark: String, name: String)], in text: String) -> String? {
    marks.first { text.contains($0.mark) }?.name
  }

  /// The name before the first slash, if it looks like one.
  private static func product(_ text: String) -> String? {
    let name = text.prefix { $0 != "/" && $0 != " " }
    let isPlain = (1...30).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isPlain ? String(name) : nil
  }
}
