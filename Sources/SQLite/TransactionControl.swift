/// The statements that steer a transaction, kept prepared by each connection and forbidden to bodies.
enum TransactionControl: String, CaseIterable {
  case begin = "BEGIN"
  case beginImmediate = "BEGIN IMMEDIATE"
  case commit = "COMMIT"
  case rollback = "ROLLBACK"
  case setSavepoint = "SAVEPOINT body"
  case releaseSavepoint = "RELEASE body"
  case rollbackToSavepoint = "ROLLBACK TO body"

  private static let reserved: Set<String> = ["begin", "commit", "end", "rollback", "savepoint", "release"]

  /// Whether `text` begins with a word that begins or ends a transaction.
  static func isReserved(_ text: String) -> Bool {
    reserved.contains(text.drop { !$0.isLetter }.prefix { $0.isLetter }.lowercased())
  }
}
