import Glibc

/// A thread of its own, of low priority, for work that would hold up everything else on a loop.
enum BackgroundThread {
  private final class Body: Sendable {
    let niceness: Int32
    let run: @Sendable () -> Void

    init(_ niceness: Int32, _ run: @escaping @Sendable () -> Void) {
      self.niceness = niceness
      self.run = run
    }
  }

  /// Starts `body` on a detached thread.
  static func start(niceness: Int32, _ body: @escaping @Sendable () -> Void) {
    let boxed = unsafe Unmanaged.passRetained(Body(niceness, body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        // On Linux the priority of "process 0" is that of the calling thread alone.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, body.niceness)
        body.run()
        return nil
      }, boxed.toOpaque())
    precondition(code == 0, "the system gives no thread")
    pthread_detach(thread)
  }
}
