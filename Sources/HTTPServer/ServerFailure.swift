/// Why the server cannot start.
public enum ServerFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// A setting cannot be understood; the text says which one, and how to write it.
  case configuration(String)
  /// The listen address cannot be had; the text says why.
  case listen(String)

  public var description: String {
    switch self {
    case .configuration(let text), .listen(let text): text
    }
  }
}
