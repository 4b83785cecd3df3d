import GroupCommit
public import SQL

/// One SQLite file with one writer thread and a few read-only connections.
///
/// The writer commits in groups: all writes that wait form one transaction, so that many callers share one `fsync`.
/// Reads see the last commit, run on the caller's thread and are never blocked by a write (write-ahead log).
public final class SQLiteDatabase: Database {
  let queue: WriteQueue
  let readers: ReaderPool
  let file: DatabaseFile
  let mark: FailureMark
  let options: Options

  /// Opens or creates the database at `path`.
  ///
  /// A new file gets mode 0600, a new directory 0700 (its parent must exist).
  ///
  /// - Throws: ``DatabaseError/failed(code:message:)`` with a sentence for the administrator: the path is a symbolic
  ///   link, open to other users, no SQLite database, or another program's; ``DatabaseError/busy`` when another process
  ///   holds it.
  public static func open(path: String, options: Options = Options()) throws(DatabaseError) -> SQLiteDatabase {
    try SQLiteDatabase(file: DatabaseFile(path: path), options: options)
  }

  /// Creates an empty database in a directory of its own under /tmp, which goes when the database is closed.
  public static func temporary(options: Options = Options()) throws(DatabaseError) -> SQLiteDatabase {
    try SQLiteDatabase(file: DatabaseFile(temporaryNamed: "gatehouse"), options: options)
  }

  private init(file: DatabaseFile, options: Options) throws(DatabaseError) {
    let mark = FailureMark()
    let queue = WriteQueue(capacity: options.queueCapacity)
    let readers = ReaderPool(size: options.readers) { () throws(DatabaseError) in
      try SQLiteHandle.reader(of: file, mark: mark, options: options)
    }
    let handle = try SQLiteHandle.writer(of: file, mark: mark, options: options)
    let writer = Writer(handle: handle, queue: queue, readers: readers, file: file)
    (self.queue, self.readers, self.file, self.mark, self.options) = (queue, readers, file, mark, options)
    try startThread { writer.run() }
  }

  deinit { queue.close() }

  public var dialect: Dialect { .sqlite }

  public var isShared: Bool { false }

  public func read<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async throws -> T {
    try readers.read(body)
  }

  @discardableResult
  public func write<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async throws -> T {
    try await enqueue(body) { queue, write throws(DatabaseError) in try queue.append(write) }
  }

  public func write(_ statement: Statement) async throws {
    try unsafe await enqueue { queue, continuation throws(DatabaseError) in
      try unsafe queue.append(.statement(statement, continuation))
    }
  }

  @discardableResult
  public func write<T: Sendable>(
    using reservation: WriteReservation, _ body: @escaping @Sendable (any Session) throws -> T
  ) async throws -> T {
    try await enqueue(body) { queue, write throws(DatabaseError) in try queue.appendReserved(write) }
  }

  @discardableResult
  public func writeInBackground<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T
  ) async throws -> T {
    try await enqueue(body) { queue, write throws(DatabaseError) in try queue.appendBackground(write) }
  }

  /// Of the connection that writes: for that one, every other writer is a foreign one (PRAGMA data_version).
  public func foreignRevision() async throws -> Int64 {
    try await writeInBackground { try $0.first("PRAGMA data_version")?.integer("data_version") ?? 0 }
  }

  public func serverTime() async throws -> Int64? { nil }

  public func submit(_ statements: [Statement]) { queue.submit(statements) }

  public func reserve() throws(DatabaseError) -> WriteReservation { try queue.reserve() }

  private func enqueue<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T,
    by append: (WriteQueue, QueuedWrite) throws(DatabaseError) -> Void
  ) async throws -> T {
    try unsafe await enqueue { queue, continuation throws(DatabaseError) in
      try unsafe append(queue, QueuedWrite(body, continuation: continuation))
    }
  }

  /// Puts a write into the queue and waits for its answer.
  ///
  /// A sleeping writer is woken by a child task, which runs where the caller runs, after what is ready there already: so
  /// all requests that came to a loop together share one wake-up and one `fsync`.
  private func enqueue<T: Sendable>(
    _ append: (WriteQueue, UnsafeContinuation<T, any Error>) throws(DatabaseError) -> Void
  ) async throws -> T {
    guard queue.claimWake() else { return try unsafe await answer(after: append) }
    async let wake: Void = queue.wake()
    let answer = try unsafe await answer(after: append)
    await wake
    return answer
  }

  private func answer<T: Sendable>(
    after append: (WriteQueue, UnsafeContinuation<T, any Error>) throws(DatabaseError) -> Void
  ) async throws -> T {
    // Not checked, which costs an object a write: ``Writer`` answers whatever the queue took, once.
    try unsafe await withUnsafeThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try unsafe append(queue, continuation)
      } catch {
        unsafe continuation.resume(throwing: error)
      }
    }
  }
}

extension SQLiteDatabase {
  /// Whether the file can still be trusted with writes.
  public enum Health: Sendable, Equatable {
    case sound
    /// An I/O error or corruption left the file's state unknown: every write fails with this until it is reopened.
    case failed(DatabaseError)
  }

  public var writeRefusal: DatabaseError? { mark.error ?? (mark.isFull ? .full : nil) }

  public var health: Health { mark.error.map(Health.failed) ?? .sound }

  /// How many writes wait for the writer, in both lanes.
  public var queuedWriteCount: Int { queue.count }

  /// How many calls of ``submit(_:)`` were dropped since the database was opened.
  public var droppedSubmissionCount: Int { queue.droppedCount }
}
