package import SQL

/// A write that waits for the writer thread, with its waiter; `indirect`, because it changes hands a few times.
@safe package indirect enum QueuedWrite: Sendable {
  package typealias Waiter = UnsafeContinuation<Void, any Error>

  /// One statement, which leaves nothing behind when it fails.
  case statement(Statement, Waiter)
  /// Statements that nobody waits for.
  case submission([Statement], onFailure: @Sendable () -> Void)
  /// Anything else: runs and returns the answer to give if its writes become durable.
  case body(run: @Sendable (any Session) throws -> @Sendable () -> Void, fail: @Sendable (any Error) -> Void)

  @inlinable package init<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T, continuation: UnsafeContinuation<T, any Error>
  ) {
    self = .body(
      run: { session in
        let value = try body(session)
        return { unsafe continuation.resume(returning: value) }
      }, fail: { unsafe continuation.resume(throwing: $0) })
  }

  /// What is told once the commit has decided it; to each waiter exactly once.
  @safe package enum Answer: Sendable {
    case durable(Waiter)
    case value(@Sendable () -> Void)
    case failed(QueuedWrite, any Error)
    case nobody

    package func give() {
      switch self {
      case .durable(let waiter): unsafe waiter.resume()
      case .value(let give): give()
      case .failed(let write, let error): write.fail(error)
      case .nobody: break
      }
    }
  }

  /// Whether the database undoes it by itself when it fails, so that it needs no savepoint.
  package var isAtomic: Bool {
    switch self {
    case .statement: true
    case .submission(let statements, _): statements.count == 1
    case .body: false
    }
  }

  /// Does the writing, and returns the answer to give if it becomes durable.
  package func run(_ session: any Session) throws -> Answer {
    switch self {
    case .statement(let statement, let waiter):
      try session.run(statement)
      return unsafe .durable(waiter)
    case .submission(let statements, _):
      for statement in statements { try session.run(statement) }
      return .nobody
    case .body(let run, _): return .value(try run(session))
    }
  }

  package func fail(_ error: any Error) {
    switch self {
    case .statement(_, let waiter): unsafe waiter.resume(throwing: error)
    case .submission(_, let onFailure): onFailure()
    case .body(_, let fail): fail(error)
    }
  }
}
