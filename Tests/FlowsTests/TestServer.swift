import HTTP
import HTTPServer
import JSON
import Logging
import Simulator
import Synchronization

/// A real server on a free port of this machine.
final class TestServer: Sendable {
  private let server: Server

  init(_ answer: @escaping @Sendable (Request) async -> Response) throws {
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    server = Server(configuration: configuration, handler: answer)
    try server.start()
  }

  var hostAndPort: String { "127.0.0.1:\(server.port)" }

  var origin: String { "http://\(hostAndPort)" }

  func stop() async { await server.stop(within: .seconds(1)) }
}

/// Holds those who wait back until a test lets them go.
final class Barrier: Sendable {
  private struct State {
    var isOpen = false
    var arrived = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Waits until ``open()``.
  func wait() async {
    await withCheckedContinuation { continuation in
      let (mayGo, watchers) = state.withLock { state in
        state.arrived += 1
        if !state.isOpen { state.waiting.append(continuation) }
        defer { state.watchers = [] }
        return (state.isOpen, state.watchers)
      }
      for watcher in watchers { watcher.resume() }
      if mayGo { continuation.resume() }
    }
  }

  /// Waits until somebody waits.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.arrived == 0 { state.watchers.append(continuation) }
        return state.arrived > 0
      }
      if isThere { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
