import Crypto

extension Installation {
  /// A text of ours in a form that a link can carry and only we can make: a place in a list, a name to show once.
  ///
  /// Whoever has the link can read it. `purpose` keeps texts for different places apart.
  public func signed(_ text: String, for purpose: String) -> String {
    "\(Base64URL.encode(Array(text.utf8))).\(formToken(for: text, form: "text|\(purpose)"))"
  }

  /// The text of a link, or `nil` when it is not one that we made for `purpose`.
  public func signedText(_ link: String, for purpose: String) -> String? {
    guard let dot = link.firstIndex(of: "."), let bytes = Base64URL.decode(String(link[..<dot])) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return isFormToken(String(link[link.index(after: dot)...]), for: text, form: "text|\(purpose)") ? text : nil
  }
}
