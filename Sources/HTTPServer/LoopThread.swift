import Glibc

/// Starts the thread of a loop.
enum LoopThread {
  /// - Throws: ``ServerFailure/listen(_:)`` when the system gives no thread.
  static func start(_ loop: EventLoop) throws(ServerFailure) {
    var thread = pthread_t()
    let loop = unsafe Unmanaged.passRetained(loop)
    let result = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let loop = unsafe Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
        loop.run()
        return nil
      }, loop.toOpaque())
    guard result == 0 else {
      unsafe loop.release()
      throw .listen("no thread: \(unsafe String(cString: strerror(result)))")
    }
    pthread_detach(thread)
  }
}
