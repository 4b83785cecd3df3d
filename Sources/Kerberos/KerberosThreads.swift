import Glibc
import Synchronization

/// Threads for calls that wait for a key distribution centre, which must hold none of the cooperative pool.
final class KerberosThreads: Sendable {
  private let most: Int
  private let mostOfOneRealm: Int
  private let running = Mutex<[String: Int]>([:])

  /// - Parameters:
  ///   - most: How many run at a time.
  ///   - mostOfOneRealm: How many of these, so that silent centres of one realm hold up no other.
  init(most: Int, ofOneRealm mostOfOneRealm: Int) {
    self.most = most
    self.mostOfOneRealm = mostOfOneRealm
  }

  /// Runs `work` on a thread of its own; after `patience` nobody waits for it any more.
  func run<Value: Sendable>(
    for realm: String, within patience: Duration, _ work: @escaping @Sendable () throws(KerberosFailure) -> Value
  ) async throws(KerberosFailure) -> Value {
    let mayRun = running.withLock { running in
      let ofRealm = running[realm, default: 0]
      guard ofRealm < mostOfOneRealm, running.values.reduce(0, +) < most else { return false }
      running[realm] = ofRealm + 1
      return true
    }
    guard mayRun else { throw .busy }
    let reply = Reply<Value>()
    let result = await withCheckedContinuation { continuation in
      reply.expect(continuation, within: patience)
      let error = Self.start {
        let result: Result<Value, KerberosFailure>
        do throws(KerberosFailure) { result = .success(try work()) } catch { result = .failure(error) }
        self.leave(realm)
        reply.give(result)
      }
      if error != 0 {
        leave(realm)
        reply.give(.failure(.busy))
      }
    }
    return try result.get()
  }

  private func leave(_ realm: String) {
    running.withLock { running in running[realm] = running[realm].flatMap { $0 > 1 ? $0 - 1 : nil } }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
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
    // Signals are for the main thread.
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    if let context = unsafe context { unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
}

/// What a thread is waited for with; the first answer counts.
private final class Reply<Value: Sendable>: Sendable {
  private typealias Waiting = CheckedContinuation<Result<Value, KerberosFailure>, Never>
  private let waiting = Mutex<(caller: Waiting, end: Task<Void, Never>)?>(nil)

  func expect(_ caller: CheckedContinuation<Result<Value, KerberosFailure>, Never>, within patience: Duration) {
    let end = Task {
      do { try await Task.sleep(for: patience) } catch { return }
      give(.failure(.unreachable("No key distribution centre answered in time.")))
    }
    waiting.withLock { $0 = (caller, end) }
  }

  func give(_ result: Result<Value, KerberosFailure>) {
    let found = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    found?.end.cancel()
    found?.caller.resume(returning: result)
  }
}
