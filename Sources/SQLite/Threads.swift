import Glibc
import SQL

/// Carries a closure into a new thread.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Lets the calling thread no longer interrupt others of this process when it has something to do: on a busy core it
/// gets its turn a little later, and finds more to do at once.
///
/// Where a core is idle, nothing changes. The kernel may refuse, which costs only speed.
func preferThroughput() {
  // SCHED_BATCH, which <sched.h> hides from Swift (sched(7)).
  let batch: Int32 = 3
  var parameters = sched_param()
  unsafe _ = sched_setscheduler(0, batch, &parameters)
}

/// Runs `body` on a detached thread of its own, so that blocking calls never hold a thread of the cooperative pool.
func startThread(_ body: @escaping @Sendable () -> Void) throws(DatabaseError) {
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
