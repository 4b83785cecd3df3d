extension Int64 {
  /// The number with its noun: `1 minute`, `30 minutes`.
  func counted(_ singular: String) -> String { "\(self) \(singular)\(self == 1 ? "" : "s")" }
}
