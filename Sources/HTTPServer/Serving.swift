import HTTP
import Glibc
import Logging
import TLS

extension EventLoop {
  /// Accepts connections and serves each in a task of its own, until the server stops and the last one is over.
  func serve(on descriptor: Int32, _ core: ServerCore) async {
    checkThread()
    await withDiscardingTaskGroup { group in
      guard let channel = makeChannel(descriptor) else { return }
      entrance = channel
      let listener = Listener(channel, core: core)
      while let caller = await listener.next() {
        if case .arrival = caller { connectionOpened() }
        group.addTask(executorPreference: executor) { [self] in await serve(caller, core) }
      }
    }
    entrance = nil
    isServing = false
  }

  private nonisolated(nonsending) func serve(_ caller: Listener.Caller, _ core: ServerCore) async {
    checkThread()
    switch caller {
    case .arrival(let descriptor, let address):
      guard let connection = makeConnection(descriptor, address, core) else { return leave(address, core) }
      if await connection.serve() { leave(address, core) }
    case .returning(let parked):
      if await parked.connection.serve() { leave(parked.connection.peer.address, core) }
    }
  }

  private func makeConnection(_ descriptor: Int32, _ address: IPAddress, _ core: ServerCore) -> Connection? {
    guard let channel = makeChannel(descriptor) else {
      Glibc.close(descriptor)
      return nil
    }
    do throws(TLSFailure) {
      return Connection(try Peer(channel, address: address, core: core), core: core)
    } catch {
      core.logger.error("connection without TLS session", ["reason": .string(error.description)])
      channel.close()
      return nil
    }
  }

  private func leave(_ address: IPAddress, _ core: ServerCore) {
    core.admission.leave(address)
    connectionClosed()
  }
}
