import SQL

/// Opens connections to one database and looks whether they are fit for use.
struct Opening: Sendable {
  let string: ConnectionString
  let options: PostgreSQLDatabase.Options
  let condition: ServerCondition

  /// Connects, unless the server was found away a moment ago.
  func session(isWriter: Bool) throws(DatabaseError) -> ServerSession {
    try condition.check()
    do throws(DatabaseError) {
      let connection = try ServerConnection(string, patience: patience(statementTimeout: options.statementTimeout))
      let session = ServerSession(connection, isWriter: isWriter, in: self)
      try check(connection, session)
      condition.noteFit()
      return session
    } catch {
      condition.noteFailure(error)
      throw error
    }
  }

  /// The oldest server that the statements are tried with.
  private static let oldestVersion = 140_000

  private func check(_ connection: ServerConnection, _ session: ServerSession) throws(DatabaseError) {
    guard connection.serverVersion >= Self.oldestVersion else {
      let found = connection.serverVersion / 10_000
      throw Self.refusal("the server is PostgreSQL \(found); Gatehouse needs 14 or newer")
    }
    guard let row = try session.first(setUp) else { throw .away("the database server did not answer") }
    guard try row.text("encoding") == "UTF8" else {
      throw Self.refusal(
        "the database keeps its texts in \(try row.text("encoding")); create it with ENCODING 'UTF8' TEMPLATE template0"
      )
    }
    guard try row.integer("replica") == 0 else {
      throw .away(
        "the server is a read-only replica; name the primary, or all servers and target_session_attrs=primary")
    }
    if let limit = Int(try row.text("statement_timeout")) { connection.patience = patience(statementTimeout: limit) }
  }

  /// For how long the server may say nothing; both in milliseconds, and 0 for a statement that may take for ever.
  private func patience(statementTimeout: Int) -> Int32 {
    let longest = statementTimeout == 0 ? options.statementTimeout : statementTimeout
    return Int32(clamping: longest + options.silence)
  }

  /// Sets the limits that neither the server nor the connection string sets, and never leaves a commit less than
  /// durable.
  private var setUp: Statement {
    """
    SELECT current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS replica,
      (SELECT setting FROM pg_settings WHERE name = 'statement_timeout') AS statement_timeout,
      (SELECT count(set_config(limits.name, limits.value, false)) FROM (VALUES
        ('statement_timeout', \(String(options.statementTimeout))), ('lock_timeout', \(String(options.lockTimeout))),
        ('idle_in_transaction_session_timeout', \(String(options.idleTimeout)))) AS limits (name, value)
        WHERE current_setting(limits.name) = '0') AS limited,
      (SELECT count(set_config('synchronous_commit', 'on', false)) WHERE current_setting('synchronous_commit') = 'off')
        AS made_durable
    """
  }

  /// Whether what the driver keeps is there.
  func isPrepared(_ session: ServerSession) throws(DatabaseError) -> Bool {
    try session.first("SELECT to_regclass('write_turn') IS NOT NULL AS is_there")?.boolean("is_there") ?? false
  }

  /// Makes what the driver keeps in the database, unless it is there.
  func prepare(_ session: ServerSession) throws(DatabaseError) {
    do throws(DatabaseError) {
      if try isPrepared(session) { return }
      session.begin(with: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
      // Two instances may start on the same empty database.
      try session.run("SELECT pg_advisory_xact_lock(1195922245)")
      for statement in WriteTurn.creation { try session.run(statement) }
      do throws(Failure) { try session.commit() } catch { throw error.error }
    } catch DatabaseError.failed(let code, _) where ["42501", "3F000"].contains(code) {
      throw Self.refusal(
        "the role \(session.user) may not create tables in \(string): make it the owner of the database, or run "
          + "GRANT CREATE, USAGE ON SCHEMA public TO \(session.user) there")
    }
  }

  private static func refusal(_ message: String) -> DatabaseError { .failed(code: "server", message: message) }
}
