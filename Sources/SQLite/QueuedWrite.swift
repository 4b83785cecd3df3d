import SQL

/// A write that waits for the writer thread, with its waiter.
struct QueuedWrite: Sendable {
  /// Tells the waiter how it went; called once, and only after the commit that decided it.
  typealias Answer = @Sendable () -> Void

  /// Runs the body and returns the answer to give if its writes become durable.
  let run: @Sendable (any Session) throws -> Answer
  let fail: @Sendable (any Error) -> Void
  /// Whether it is one statement, which leaves nothing behind when it fails.
  let isAtomic: Bool

  init<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T, continuation: CheckedContinuation<T, any Error>
  ) {
    run = { session in
      let value = try body(session)
      return { continuation.resume(returning: value) }
    }
    fail = { continuation.resume(throwing: $0) }
    isAtomic = false
  }

  init(_ statement: Statement, continuation: CheckedContinuation<Void, any Error>) {
    run = { session in
      try session.run(statement)
      return { continuation.resume() }
    }
    fail = { continuation.resume(throwing: $0) }
    isAtomic = true
  }

  /// A write that nobody waits for.
  init(_ statements: [Statement], onFailure: @escaping @Sendable () -> Void) {
    run = { session in
      for statement in statements { try session.run(statement) }
      return {}
    }
    fail = { _ in onFailure() }
    isAtomic = statements.count == 1
  }
}
