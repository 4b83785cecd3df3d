/// A value that may stand in a log entry; secrets never become one.
public enum LogValue: Sendable, Equatable {
  case string(String)
  case int(Int)
  case bool(Bool)
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  public init(stringLiteral value: String) { self = .string(value) }

  public init(integerLiteral value: Int) { self = .int(value) }

  public init(booleanLiteral value: Bool) { self = .bool(value) }
}
