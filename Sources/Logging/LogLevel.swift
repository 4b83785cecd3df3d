/// How much an entry matters; entries below the logger's level are not written.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
  case debug
  case info
  case warning
  case error

  /// The word in the entry, and in the configuration.
  public var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  /// The level called `name`, in lower case, or `nil`.
  public init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
