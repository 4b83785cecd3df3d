import HTTP
import Pages

/// The typed confirmation that something shall be deleted.
struct Confirmation: Sendable {
  var form = PageForm()
  private let typed: String

  /// Nothing typed yet.
  init() { self.init(Form([])) }

  init(_ posted: Form) {
    typed = posted["confirm"] ?? ""
    form.fill("confirm", with: typed)
  }

  /// Whether what was typed is `id`; marks the field if not.
  mutating func confirms(_ id: String, deleting thing: String) -> Bool {
    if typed.trimmed == id { return true }
    form.refuse("confirm", "Type \(id) to delete this \(thing). Nothing was deleted.")
    return false
  }
}

extension String {
  /// Without white space at both ends, which copying likes to add.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }

  /// The lines that hold something, trimmed.
  var filledLines: [String] { split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty } }
}
