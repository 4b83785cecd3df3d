import HTTP
import Logging

/// A browser's connection from its acceptance to its end: one task on one loop, straight from request to answer.
final class Connection {
  let core: ServerCore
  let peer: Peer
  let loop: EventLoop
  var input = InputBuffer()
  /// Answers that are not sent yet; those to requests that came together leave together.
  var output: [UInt8] = []
  /// Whether a streamed body may be written to.
  var streaming = Streaming.over
  private var answered = 0
  /// Whether the client may still be sending while we close.
  private var mayBeSending = false
  private let origin: Origin

  /// Answers are sent when so many bytes have gathered, whatever else is there to answer.
  private static let outputSize = 64 << 10

  init(_ peer: Peer, core: ServerCore) {
    self.peer = peer
    self.core = core
    loop = peer.channel.loop
    origin = Origin(of: peer, proxies: core.admission)
  }

  /// Answers requests until either side ends the connection, and closes it.
  nonisolated(nonsending) func serve() async {
    do throws(Ending) {
      try await peer.establish(by: loop.now + core.deadlines.handshake, into: &input)
      try await answerAll()
      try await flush()
      await end()
    } catch .refused(let failure) {
      await refuse(failure)
    } catch {
      peer.channel.close()
    }
    input.settle(into: &loop.buffers)
    peer.channel.close()
  }

  private nonisolated(nonsending) func answerAll() async throws(Ending) {
    repeat {
      if input.isEmpty && !output.isEmpty { try await flush() }
      let deadline = idleDeadline
      while input.isEmpty {
        // Waiting here and not further down keeps the frames of an idle connection few.
        let wake = await peer.channel.untilReadable(by: deadline, isIdle: true)
        try takeFirstBytes(wake)
        if peer.hasPending { try await peer.sendPending() }
      }
    } while try await answerNext()
  }

  /// Not inlined, like the other steps around the wait: their temporaries would stay in every idle connection's frame.
  @inline(never) private var idleDeadline: Milliseconds {
    loop.now + (answered == 0 ? core.deadlines.firstByte : core.deadlines.keepAlive)
  }

  /// Answers one request.
  ///
  /// - Returns: whether the connection stays open.
  private nonisolated(nonsending) func answerNext() async throws(Ending) -> Bool {
    let head = try await readHead()
    let body = head.bodyFraming == .none ? [] : try await readBody(of: head)
    let (isHead, version, wantsMore) = (head.method == .head, head.version, head.keepAlive)
    let request = try origin.request(consume head, body: body)
    input.settle(into: &loop.buffers)
    answered += 1
    loop.counters.requests.add()
    let response = await core.handler(request)
    let keepAlive = wantsMore && answered < core.limits.requestsPerConnection && !loop.isDraining
    mayBeSending = wantsMore
    return try await send(response, by: ResponseEncoder(isHead: isHead, version: version, keepAlive: keepAlive))
      && keepAlive
  }

  /// - Returns: whether the connection can stay open.
  private nonisolated(nonsending) func send(
    _ response: Response, by encoder: ResponseEncoder
  ) async throws(Ending) -> Bool {
    prepareOutput()
    switch encoder.encode(response, date: loop.date, to: &output) {
    case .nothing:
      if output.count >= Self.outputSize { try await flush() }
    case .bytes(let body):
      try await flush()
      try await peer.write(body)
    case .chunks(let produce):
      try await stream(produce, isChunked: true)
    case .untilClose(let produce):
      try await stream(produce, isChunked: false)
      return false
    }
    return true
  }

  private nonisolated(nonsending) func refuse(_ failure: ParseFailure) async {
    (failure.status == 408 ? loop.counters.timedOut : loop.counters.refused).add()
    core.logger.info(
      "request refused",
      ["status": .int(failure.status.code), "reason": .string(failure.reason), "address": .string(peer.address.text)])
    prepareOutput()
    _ = ResponseEncoder().encode(failure.response, date: loop.date, to: &output)
    mayBeSending = true
    do throws(Ending) { try await flush() } catch { return }
    await end()
  }

  /// Says that nothing more comes, and lets a client that is still sending come to read it.
  private nonisolated(nonsending) func end() async {
    await peer.finish()
    guard mayBeSending else { return }
    let deadline = loop.now + core.deadlines.linger
    while await peer.channel.untilReadable(by: deadline) == .ready && loop.now < deadline {
      guard peer.discard() else { return }
    }
  }

  func prepareOutput() {
    if output.capacity == 0 { output = loop.buffers.takeOutput() }
  }

  /// Sends what has gathered.
  nonisolated(nonsending) func flush() async throws(Ending) {
    guard !output.isEmpty else { return }
    let bytes = output
    output = []
    let count = try peer.writeNow(bytes)
    if count < bytes.count { try await peer.write(bytes, from: count) }
    if peer.hasPending { try await peer.sendPending() }
    loop.buffers.giveOutput(consume bytes)
  }
}
