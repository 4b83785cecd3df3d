/// The one-time link with which the first administrator is made.
public enum SetupLink {
  /// In seconds.
  public static let lifetime: Int64 = 30 * 60
}
