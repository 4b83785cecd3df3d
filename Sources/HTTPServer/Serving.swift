import Glibc
import Logging
import TLS

extension EventLoop {
  /// Accepts connections and serves each in a task of its own, until the server stops and the last one is over.
  func serve(on descriptor: Int32, _ core: ServerCore) async {
    checkThread()
    await withDiscardingTaskGroup { group in
      guard let channel = makeChannel(descriptor) else { return }
      let listener = Listener(channel, core: core)
      while let arrival = await listener.next() {
        connectionOpened()
        group.addTask(executorPreference: executor) { [self] in await serve(arrival, core) }
      }
    }
    isServing = false
  }

  private nonisolated(nonsending) func serve(_ arrival: Listener.Arrival, _ core: ServerCore) async {
    checkThread()
    defer {
      core.admission.leave(arrival.address)
      connectionClosed()
    }
    guard let channel = makeChannel(arrival.descriptor) else {
      Glibc.close(arrival.descriptor)
      return
    }
    do throws(TLSFailure) {
      await Connection(try Peer(channel, address: arrival.address, core: core), core: core).serve()
    } catch {
      core.logger.error("connection without TLS session", ["reason": .string(error.description)])
      channel.close()
    }
  }
}
