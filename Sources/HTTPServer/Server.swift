public import HTTP
import Glibc
import Logging
import Synchronization
import TLS

/// An HTTP/1.1 server: one event loop per core, one task per connection that is not in a long pause.
///
/// A server that was started runs until ``stop(within:)``, also when nobody refers to it any more.
public final class Server: Sendable {
  /// Answers one request; runs on the connection's loop, so it must never block.
  ///
  /// Work that blocks or computes for long goes elsewhere, behind an `await`.
  public typealias Handler = nonisolated(nonsending) @Sendable (consuming Request) async -> Response

  /// Says how the refusal of a request is written that never got to the ``Handler``; `nil` for the plain form.
  public typealias RefusalHandler = nonisolated(nonsending) @Sendable (RefusedRequest) async -> Response?

  private struct Running {
    var loops: [EventLoop] = []
    var port: UInt16 = 0
  }

  private let configuration: ServerConfiguration
  private let core: ServerCore
  private let running = Mutex(Running())

  public init(configuration: ServerConfiguration, handler: @escaping Handler) {
    self.configuration = configuration
    core = ServerCore(configuration, handler: handler)
  }

  /// The port on which the server listens; 0 before it is started.
  public var port: UInt16 { running.withLock(\.port) }

  /// What the server has done so far.
  public var figures: ServerFigures {
    var figures = ServerFigures(open: core.admission.total)
    for loop in running.withLock(\.loops) { figures.add(loop.counters) }
    return figures
  }

  /// Listens, and begins to answer.
  ///
  /// - Throws: ``ServerFailure/listen(_:)``, for example when another program has the port.
  public func start() throws(ServerFailure) {
    // Sockets are written with MSG_NOSIGNAL; this is for a reader of the log that went away.
    signal(SIGPIPE, SIG_IGN)
    // A file beyond the limit that the system sets is a full disk to its writer, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    var loops: [EventLoop] = []
    for _ in 0..<max(configuration.loopCount, 1) {
      loops.append(try EventLoop(waitingTasks: max(configuration.limits.waitingTasks, 0)))
    }
    let (descriptors, port) = try ListeningSocket.descriptors(count: loops.count, on: configuration.address)
    for (loop, descriptor) in zip(loops, descriptors) {
      let core = core
      Task(executorPreference: loop.executor) { await loop.serve(on: descriptor, core) }
      try LoopThread.start(loop)
    }
    running.withLock { $0 = Running(loops: loops, port: port) }
  }

  /// Accepts nothing more, closes idle connections at once, and lets requests in flight be answered.
  ///
  /// - Parameter limit: What is not answered by then is cut.
  /// - Returns: whether everything was answered.
  @discardableResult
  public func stop(within limit: Duration) async -> Bool {
    let loops = running.withLock { running in
      defer { running.loops = [] }
      return running.loops
    }
    return await withTaskGroup(of: Bool.self) { group in
      for loop in loops { group.addTask(executorPreference: loop.executor) { await loop.drain(within: limit) } }
      return await group.reduce(true) { $0 && $1 }
    }
  }
}
