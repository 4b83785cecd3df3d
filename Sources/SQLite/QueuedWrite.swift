import SQL

/// A write that waits for the writer thread, with its waiter.
struct QueuedWrite: Sendable {
  /// Tells the waiter how it went; called once, and only after the commit that decided it.
  typealias Answer = @Sendable () -> Void

  /// Runs the body and returns the answer to give if its writes become durable.
  let run: @Sendable (any Session) throws -> Answer
  let fail: @Sendable (any Error) -> Void

  init<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T, continuation: CheckedContinuation<T, any Error>
  ) {
    run = { session in
      let value = try body(session)
      return { continuation.resume(returning: value) }
    }
    fail = { continuation.resume(throwing: $0) }
  }

  /// A write that nobody waits for.
  init(_ statements: [Statement], onFailure: @escaping @Sendable () -> Void) {
    run = { session in
      for statement in statements { try session.run(statement) }
      return {}
    }
    fail = { _ in onFailure() }
  }
}
