/// Why a command line was not understood; one line that says what is wrong and what would be right.
public struct UsageFailure: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
