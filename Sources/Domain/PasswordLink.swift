/// A link by which somebody sets the password of a local account: a new one's first, or one that was forgotten.
public enum PasswordLink {
  /// Seconds for which it is good: a day.
  public static let lifetime: Int64 = 24 * 60 * 60
  /// Seconds for which one is good that was asked for by mail: an hour.
  public static let mailedLifetime: Int64 = 60 * 60
}
