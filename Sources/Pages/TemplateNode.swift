/// A name in a tag: `a`, `a.b.c`, or `.` for the current item.
struct SlotPath: Equatable, Sendable {
  let text: String
  /// Empty for `.`.
  let names: [String]

  init(_ text: String) {
    self.text = text
    names = text == "." ? [] : text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }
}

/// A template as it was written: partials, parents and blocks still stand as tags.
indirect enum TemplateNode: Equatable, Sendable {
  case text([UInt8], TemplatePlace)
  case variable(SlotPath, TemplatePlace)
  case section(SlotPath, inverted: Bool, [TemplateNode], TemplatePlace)
  /// `{{> name}}`, or `{{< name}} … {{/ name}}` with the blocks it fills; `indent` is put before each line.
  case partial(String, blocks: [String: [TemplateNode]], indent: [UInt8], TemplatePlace)
  /// `{{$ name}} … {{/ name}}`: a part with content of its own, which a parent tag may replace.
  case block(String, [TemplateNode])
}
