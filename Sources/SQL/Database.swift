/// A place that runs transactions.
///
/// The bodies are synchronous on purpose: no `await` can happen while a transaction is open. A body must be a pure
/// function of the database, since it may run again after a rolled-back batch or a serialization failure. It must not
/// keep the session, nor begin or end a transaction itself, nor go on after a statement that failed.
public protocol Database: Sendable {
  /// For the little in a schema that has to differ; queries are the same for all.
  var dialect: Dialect { get }

  /// Whether other processes may write to it while this one has it open.
  var isShared: Bool { get }

  /// Runs `body` on a snapshot.
  func read<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async throws -> T

  /// Runs `body` and returns once its writes are durable; a throw undoes what this body wrote, and only that.
  ///
  /// Cancelling the caller's task does not take the write back.
  ///
  /// - Throws: ``DatabaseError/busy`` when the queue is full; whatever `body` throws.
  @discardableResult
  func write<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async throws -> T

  /// Runs one statement and returns once it is durable: cheaper than a body, since it undoes itself when it fails.
  func write(_ statement: Statement) async throws

  /// Like ``write(_:)``, but runs after everything queued there: for bulk work of at most 500 rows a call.
  @discardableResult
  func writeInBackground<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async throws -> T

  /// Hands over writes that need no answer (counters, last use); dropped and counted when the queue is full.
  ///
  /// The statements of one call are written all or none.
  func submit(_ statements: [Statement])

  /// Sets one place of the write queue aside until the reservation is released.
  ///
  /// - Throws: ``DatabaseError/busy`` when the queue is full.
  func reserve() throws(DatabaseError) -> WriteReservation

  /// Like ``write(_:)``, but never refused for a full queue: for writes that must not fail once begun elsewhere.
  ///
  /// A reservation serves any number of writes, one after the other.
  @discardableResult
  func write<T: Sendable>(
    using reservation: WriteReservation, _ body: @escaping @Sendable (any Session) throws -> T
  ) async throws -> T

  /// A number that changes when another program commits something, or another opening of the same database in this one.
  func foreignRevision() async throws -> Int64

  /// Seconds since 1970 by the clock of the server that all instances ask; `nil` where there is none.
  func serverTime() async throws -> Int64?

  /// Why no write is taken at present: there is no room, or the file cannot be trusted any more.
  var writeRefusal: DatabaseError? { get }

  /// Makes what was deleted before this call unreadable in the database's files; does nothing where files cannot tell.
  ///
  /// - Throws: ``DatabaseError/busy`` when a reader held an old snapshot for too long; worth trying again.
  func shredCheckpoint() async throws

  /// Refuses whatever is new, finishes the queued writes and closes; once is enough.
  func close() async throws
}

/// The SQL that a database speaks.
public enum Dialect: Sendable {
  case sqlite
  case postgreSQL
}

/// A database session inside one transaction.
public protocol Session {
  /// Runs `statement` and returns every row it yields.
  func rows(_ statement: Statement) throws(DatabaseError) -> [Row]

  /// Runs `statement` and returns the number of rows it changed.
  @discardableResult func run(_ statement: Statement) throws(DatabaseError) -> Int
}

extension Session {
  /// The first row of `statement`, if it yields any.
  public func first(_ statement: Statement) throws(DatabaseError) -> Row? { try rows(statement).first }
}

/// A failure of the database itself.
///
/// Never shown to a client, and never holds a bound value.
public enum DatabaseError: Error, Equatable {
  /// The statement failed; `code` is the driver's own code (SQLite extended result code or SQLSTATE) or a word.
  case failed(code: String, message: String)
  /// A uniqueness rule refused the row.
  case duplicate
  /// The row has no such column, or its type differs.
  case column(String)
  /// The queue of writes is full, or the database was locked by others for too long; worth trying later.
  case busy
  /// The disk is full.
  case full
  /// The database server cannot be reached, or serves nobody at present; nothing was written. The sentence is for the
  /// administrator.
  case away(String)
}
