/// What is wrong with a template, or with the values it was given, and where.
///
/// Thrown when a template is loaded (a mistake in a file of `Public/pages`) and when one is rendered (a slot without
/// a value, or with a value of the wrong kind). Never holds a value of a slot.
public struct TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
  public let place: TemplatePlace
  /// What happened and what to do, in one or two sentences.
  public let message: String

  public init(_ place: TemplatePlace, _ message: String) {
    self.place = place
    self.message = message
  }

  public var description: String { "\(place.file), line \(place.line): \(message)" }
}

/// A line of a template file; lines count from 1, and 0 stands for the whole file.
public struct TemplatePlace: Equatable, Sendable {
  public let file: String
  public let line: Int

  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}
