/// What a form page shows: what was typed, and what is wrong with it.
///
/// Fills `field.NAME` (with `value`, `error` and, for choices, a flag per option) and `errors` (each with `field` and
/// `text`), which the summary and the fields of every form page use.
///
/// ```swift
/// var form = PageForm()
/// form.fill("username", with: request.username)
/// form.fill("password")
/// form.refuse("password", "Enter a password.")
/// let context = common.merging(form.slots)
/// ```
public struct PageForm: Sendable {
  private var fields: [String: PageContext.Object] = [:]
  private var errors: [PageContext] = []

  public init() {}

  /// Adds a text field; a password is never given back, so leave `value` out there.
  public mutating func fill(_ field: String, with value: String = "") {
    fields[field] = ["value": .text(value), "error": .none]
  }

  /// Adds a field of choices, with a flag `OPTION` for each of `options`: true for those in `chosen`.
  public mutating func choose(_ field: String, from options: [String], chosen: Set<String> = []) {
    var object: PageContext.Object = ["value": "", "error": .none]
    for option in options { object[option] = .flag(chosen.contains(option)) }
    fields[field] = object
  }

  /// Marks a field added before as wrong; only its first error is shown at the field, all are in the summary.
  ///
  /// - Parameters:
  ///   - field: The field's name; the empty name is for what concerns no single field.
  ///   - text: One sentence that says what is wrong and what to do.
  public mutating func refuse(_ field: String, _ text: Words) {
    errors.append(["field": .text(field), "text": .words(text)])
    if fields[field]?["error"] == PageContext.none { fields[field]?["error"] = .words(text) }
  }

  public func has(_ field: String) -> Bool { fields[field] != nil }

  /// What is wrong first.
  public var firstError: String? {
    if case .object(let error) = errors.first, case .words(let words) = error["text"] { words.english } else { nil }
  }

  public var isRefused: Bool { !errors.isEmpty }

  /// `field` and `errors`.
  public var slots: PageContext.Object {
    ["field": .object(PageContext.Object(fields.mapValues(PageContext.object))), "errors": .list(errors)]
  }
}
