import Glibc
package import SQL

/// Carries a closure into a new thread.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `body` on a detached thread of its own, so that blocking calls never hold a thread of the cooperative pool.
package func startThread(_ body: @escaping @Sendable () -> Void) throws(DatabaseError) {
  let start = unsafe Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let code = unsafe pthread_create(
    &thread, nil,
    { argument in
      if let argument = unsafe argument { unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, start.toOpaque())
  guard code == 0 else {
    unsafe start.release()
    throw .failed(code: "thread", message: unsafe "cannot start a thread: \(String(cString: strerror(code)))")
  }
  pthread_detach(thread)
}
