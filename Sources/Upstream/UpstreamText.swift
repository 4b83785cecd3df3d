import Domain

/// Names that upstreams give to people, checked before they reach a store or a page.
enum UpstreamText {
  /// Whether `text` can be a user name: 1 to 255 bytes on one line, none of which hides or moves others.
  static func isName(_ text: String) -> Bool { (1...255).contains(text.utf8.count) && DisplayName.isVisible(text) }
}
