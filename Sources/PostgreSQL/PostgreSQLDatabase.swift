import GroupCommit
public import SQL

/// One PostgreSQL database with one connection that writes and a few that read, each driven by a thread of its own.
///
/// libpq blocks while the server works, and may block for long when the network fails: so no call of it is made on an
/// event loop or on the cooperative pool. Writes commit in groups, in turn with those of other instances
/// (``WriteTurn``); reads see the last commit and are never blocked by a write.
public final class PostgreSQLDatabase: Database {
  private let queue: WriteQueue
  private let reads: ReadQueue
  private let condition: ServerCondition
  private let id: Int64

  /// Connects, and makes what the driver itself keeps there.
  ///
  /// Blocks until the server has answered.
  ///
  /// - Throws: ``DatabaseError/away(_:)`` or ``DatabaseError/failed(code:message:)`` with a sentence for the
  ///   administrator: the server does not answer or lets nobody in, is too old or a replica, or the role lacks rights.
  public static func open(
    _ string: ConnectionString, options: Options = Options()
  ) throws(DatabaseError) -> PostgreSQLDatabase {
    let opening = Opening(string: string, options: options, condition: ServerCondition())
    try opening.prepare(opening.session(isWriter: true))
    return try PostgreSQLDatabase(opening)
  }

  /// Whether the database has been opened before, by any instance; nothing is made in it to find out.
  ///
  /// - Throws: As ``open(_:options:)``.
  public static func isPrepared(_ string: ConnectionString) throws(DatabaseError) -> Bool {
    let opening = Opening(string: string, options: Options(), condition: ServerCondition())
    return try opening.isPrepared(opening.session(isWriter: true))
  }

  private init(_ opening: Opening) throws(DatabaseError) {
    let (id, capacity) = (Int64.random(in: 1...Int64.max), opening.options.queueCapacity)
    let (queue, reads) = (WriteQueue(capacity: capacity), ReadQueue(capacity: capacity))
    (self.queue, self.reads, self.condition, self.id) = (queue, reads, opening.condition, id)
    try startThread { Writer(queue: queue, opening: opening, id: id).run() }
    for _ in 0..<max(opening.options.readers, 1) {
      try startThread { Reader(queue: reads, opening: opening).run() }
    }
  }

  deinit {
    queue.close()
    reads.close()
  }

  public var dialect: Dialect { .postgreSQL }

  public var isShared: Bool { true }

  public func read<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try reads.append(QueuedRead(body, continuation: continuation))
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async throws -> T {
    try await enqueue(body) { write throws(DatabaseError) in try queue.append(write) }
  }

  public func write(_ statement: Statement) async throws {
    try unsafe await withUnsafeThrowingContinuation { (continuation: QueuedWrite.Waiter) in
      do throws(DatabaseError) {
        try unsafe queue.append(.statement(statement, continuation))
      } catch {
        unsafe continuation.resume(throwing: error)
      }
    }
  }

  @discardableResult
  public func write<T: Sendable>(
    using reservation: WriteReservation, _ body: @escaping @Sendable (any Session) throws -> T
  ) async throws -> T {
    try await enqueue(body) { write throws(DatabaseError) in try queue.appendReserved(write) }
  }

  @discardableResult
  public func writeInBackground<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T
  ) async throws -> T {
    try await enqueue(body) { write throws(DatabaseError) in try queue.appendBackground(write) }
  }

  public func submit(_ statements: [Statement]) { queue.submit(statements) }

  public func reserve() throws(DatabaseError) -> WriteReservation { try queue.reserve() }

  public func foreignRevision() async throws -> Int64 {
    let id = id
    return try await read { try $0.first(WriteTurn.lastForeign(to: id))?.integer("foreign_revision") ?? 0 }
  }

  public func serverTime() async throws -> Int64? {
    let question: Statement = "SELECT CAST(floor(extract(epoch FROM clock_timestamp())) AS bigint) AS seconds"
    return try await read { try $0.first(question)?.integer("seconds") }
  }

  public var writeRefusal: DatabaseError? { condition.refusal }

  /// Does nothing: where the server keeps rows that were deleted, and for how long, is up to it.
  public func shredCheckpoint() async throws {}

  /// Refuses new writes and reads, finishes the queued writes and closes the connections; once is enough.
  public func close() async throws {
    reads.close()
    try await withCheckedThrowingContinuation { continuation in
      if !queue.close(continuation) {
        continuation.resume(throwing: DatabaseError.failed(code: "closed", message: "the database is closed already"))
      }
    }
  }

  private func enqueue<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T,
    by append: (QueuedWrite) throws(DatabaseError) -> Void
  ) async throws -> T {
    // Not checked, which costs an object a write: ``Writer`` answers whatever the queue took, once.
    try unsafe await withUnsafeThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try unsafe append(QueuedWrite(body, continuation: continuation))
      } catch {
        unsafe continuation.resume(throwing: error)
      }
    }
  }
}

extension PostgreSQLDatabase {
  /// How many writes wait for the writer, in both lanes.
  public var queuedWriteCount: Int { queue.count }

  /// How many calls of ``submit(_:)`` were dropped since the database was opened.
  public var droppedSubmissionCount: Int { queue.droppedCount }
}
