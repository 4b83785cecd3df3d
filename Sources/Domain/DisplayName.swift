/// What people read of a client or a connection.
public enum DisplayName {
  /// Whether people would take one name for the other.
  public static func areAlike(_ first: String, _ second: String) -> Bool { folded(first) == folded(second) }

  private static func folded(_ name: String) -> [Substring] { name.lowercased().split { $0.isWhitespace } }
}
