import Glibc

/// A thread of its own, because waiting in libcurl must not hold a thread of the cooperative pool.
enum OutboundThread {
  /// Runs `body` on a new detached thread; returns the system's error number, 0 for success.
  static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
    let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    var thread: pthread_t = 0
    let error = unsafe pthread_create(&thread, nil, enter, context)
    guard error == 0 else {
      unsafe Unmanaged<Body>.fromOpaque(context).release()
      return error
    }
    return pthread_detach(thread)
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    // Signals are for the main thread; a connection that breaks shows as an error, not as SIGPIPE.
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    if let context = unsafe context { unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
}
