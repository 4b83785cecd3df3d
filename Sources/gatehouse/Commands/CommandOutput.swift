import JSON

extension CommandResult {
  static func json(_ value: JSONValue) -> CommandResult {
    CommandResult(output: String(decoding: value.encoded(layout: .pretty), as: UTF8.self))
  }

  /// A list, as JSON or as one line each.
  static func listing(
    _ items: [JSONValue], _ isJSON: Bool, heading: String? = nil, _ line: (JSONValue) -> String
  ) -> CommandResult {
    if isJSON { return json(.array(items)) }
    return CommandResult(output: ((heading.map { [$0] } ?? []) + items.map(line)).joined(separator: "\n"))
  }
}
