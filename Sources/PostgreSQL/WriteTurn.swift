import SQL

/// The one row that every write transaction changes first: whoever has changed it has the turn until the end.
///
/// So the transactions of all instances that write run one after the other, as a single writer's would, and see
/// everything that was committed before them: READ COMMITTED is then as good as SERIALIZABLE, without a transaction
/// ever being undone for another's sake. Rows of the audit log get their numbers in the order of the commits.
/// The row also tells each instance whether somebody else has written.
enum WriteTurn {
  static let creation: [Statement] = [
    """
    CREATE TABLE IF NOT EXISTS write_turn (
      id          bigint NOT NULL PRIMARY KEY,
      revision    bigint NOT NULL,
      writer      bigint NOT NULL,
      handed_over bigint NOT NULL
    )
    """,
    "INSERT INTO write_turn (id, revision, writer, handed_over) VALUES (1, 0, 0, 0) ON CONFLICT (id) DO NOTHING",
  ]

  /// Waits for the turn and takes it; `writer` tells this opening of the database from all others.
  static func take(as writer: Int64) -> String {
    """
    UPDATE write_turn SET revision = revision + 1, writer = \(writer),
      handed_over = CASE WHEN writer = \(writer) THEN handed_over ELSE revision END
    WHERE id = 1
    """
  }

  /// The number of the last write that was not made by `writer`.
  static func lastForeign(to writer: Int64) -> Statement {
    "SELECT CASE WHEN writer = \(writer) THEN handed_over ELSE revision END AS foreign_revision FROM write_turn"
  }
}
