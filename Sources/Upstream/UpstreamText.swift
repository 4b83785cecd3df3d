/// Names that upstreams give to people, checked before they reach a store or a page.
enum UpstreamText {
  /// Whether `text` can be a user name: 1 to 255 bytes without control characters.
  static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
