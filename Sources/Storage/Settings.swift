public import Domain
import SQL

extension Transaction {
  /// Reads a fact about this installation.
  public func setting(_ name: String) throws -> String? {
    try session.first("SELECT value FROM setting WHERE name = \(name)")?.text("value")
  }

  /// Writes a fact about this installation.
  public func set(_ name: String, to value: String) throws {
    try session.run(
      """
      INSERT INTO setting (name, value) VALUES (\(name), \(value))
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """)
  }

  /// The latest time that was written down, by itself or with an audited effect; no clock of this installation may go
  /// behind it.
  public func clockHighWater() throws -> Timestamp? {
    let mark = try setting("clock").flatMap(Int64.init).map(Timestamp.init(seconds:))
    let audited = try session.first("SELECT at FROM audit ORDER BY id DESC LIMIT 1")?.time("at")
    return [mark, audited].compactMap { $0 }.max()
  }
}
