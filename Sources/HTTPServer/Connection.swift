import HTTP
import Logging

/// A browser's connection from its acceptance to its end, straight from request to answer.
///
/// While requests come it is served by one task on one loop. A task keeps the memory of the deepest handler it ran, so
/// only the connections that paused last keep theirs; of the others this object is all that is left (see ``Pauses``).
final class Connection {
  let core: ServerCore
  let peer: Peer
  let loop: EventLoop
  var input = InputBuffer()
  /// Answers that are not sent yet; those to requests that came together leave together.
  var output: [UInt8] = []
  /// The body that is sent behind ``output``, and not copied for that.
  var tail: [UInt8] = []
  /// Whether a streamed body may be written to.
  var streaming = Streaming.over
  /// How many bytes of it were written.
  var streamed = 0
  var answered = 0
  /// The streamed exchange under way, or the last one.
  var exchange = Exchange(isBodyOver: true)
  /// When the present pause, or the handshake, is over at the latest.
  private var pauseEnd: Milliseconds
  /// Whether the loop sends what has gathered at the end of its turn.
  var isDeferring = false
  /// Whether the system did not take all of it then.
  var owesRest = false
  /// The request that is refused, as far as it came.
  var refused: Refused?
  /// Whether the client may still be sending while we close.
  var mayBeSending = false
  let origin: Origin

  /// Answers are sent when so many bytes have gathered, whatever else is there to answer.
  private static let outputSize = 64 << 10

  init(_ peer: Peer, core: ServerCore) {
    self.peer = peer
    self.core = core
    loop = peer.channel.loop
    origin = Origin(of: peer, proxies: core.admission, certificateField: core.certificateField)
    pauseEnd = loop.now + (peer.isEstablished ? core.deadlines.firstByte : core.deadlines.handshake)
  }

  /// Answers requests until either side ends the connection, or it is parked.
  ///
  /// - Returns: whether the connection is over; a parked one is served again when it comes back.
  nonisolated(nonsending) func serve() async -> Bool {
    do throws(Ending) {
      if !peer.isEstablished { try await establish() }
      try await answerAll()
      try await flush()
      await end()
    } catch .parked {
      return false
    } catch .refused(let failure) {
      await refuse(failure)
    } catch {
      await sendLast()
    }
    input.settle(into: &loop.buffers)
    peer.channel.close()
    return true
  }

  private nonisolated(nonsending) func establish() async throws(Ending) {
    while !(try await peer.establish(into: &input)) {
      guard try await pause(isIdle: false) == .ready else { throw .gone }
    }
    pauseEnd = loop.now + core.deadlines.firstByte
  }

  private nonisolated(nonsending) func answerAll() async throws(Ending) {
    repeat {
      while input.isEmpty {
        if owesRest { try await flush() }
        let wake = try await pause(isIdle: true)
        if wake != .ready && isDeferring { try await flush() }
        try takeFirstBytes(wake)
        if peer.hasPending { try await flush() }
      }
    } while try await answerNext()
  }

  /// Waits for bytes; when too many tasks wait, without this one.
  @inline(__always)
  private nonisolated(nonsending) func pause(isIdle: Bool) async throws(Ending) -> Channel.Wake {
    let channel = peer.channel
    if channel.canRead { return .ready }
    if loop.now >= pauseEnd { return .expired }
    var keepsTask = loop.keepsTask(of: channel)
    while true {
      if !keepsTask && !channel.canRead && !loop.isDraining {
        channel.park(self, until: pauseEnd)
        throw .parked
      }
      let wake = await channel.untilReadable(by: pauseEnd, isIdle: isIdle)
      if wake != .displaced { return wake }
      keepsTask = false
    }
  }

  /// Answers one request.
  ///
  /// - Returns: whether the connection stays open.
  @inline(__always)
  private nonisolated(nonsending) func answerNext() async throws(Ending) -> Bool {
    let head = if let whole = try parseHead() { whole } else { try await readHead() }
    if head.isStreamed { return try await answerStreamed(head) }
    let body = head.bodyFraming == .none ? [] : try await readBody(of: head)
    let (isHead, version, wantsMore) = (head.method == .head, head.version, head.keepAlive)
    let request = try origin.request(consume head, body: body, of: peer)
    input.settle(into: &loop.buffers)
    answered += 1
    loop.counters.requests.add()
    let response =
      if let fixed = core.staticAnswers?.response(for: request) { fixed } else { await core.handler(consume request) }
    let keepAlive = wantsMore && mayStayOpen
    mayBeSending = wantsMore
    return try await send(response, by: ResponseEncoder(isHead: isHead, version: version, keepAlive: keepAlive))
  }

  /// Whether another request may come on this connection.
  var mayStayOpen: Bool { answered < core.limits.requestsPerConnection && !loop.isDraining }

  /// Sends an answer, or leaves it to the end of the loop's turn.
  ///
  /// - Returns: whether the connection stays open.
  @inline(__always)
  nonisolated(nonsending) func send(_ response: Response, by encoder: ResponseEncoder) async throws(Ending) -> Bool {
    // What comes before a streamed body leaves now: its own head waits for the first write, which may never come.
    if response.body.isStream { try await flush() }
    prepareOutput()
    switch encoder.encode(response, date: loop.date, to: &output) {
    case .nothing: break
    case .bytes(let body) where body.count < Self.outputSize: tail = body
    case let rest: guard try await send(rest) else { return false }
    }
    if owesRest || output.count + tail.count >= Self.outputSize { try await flush() } else { sendAtTurnEnd() }
    pauseEnd = loop.now + core.deadlines.keepAlive
    return encoder.keepAlive
  }

  /// Sends what the encoder left over.
  ///
  /// - Returns: whether the connection can stay open.
  private nonisolated(nonsending) func send(_ rest: ResponseEncoder.Remainder) async throws(Ending) -> Bool {
    switch rest {
    case .nothing: return true
    case .bytes(let body):
      try await flush(with: body)
      return true
    case .chunks(let produce):
      try await stream(produce, as: .chunks)
      return true
    case .counted(let length, let produce):
      try await stream(produce, as: .counted(length))
      return true
    case .untilClose(let produce):
      try await stream(produce, as: .untilClose)
      return false
    }
  }

  /// Kept apart, since few connections ever have one.
  final class Refused {
    let request: RefusedRequest

    init(_ request: RefusedRequest) { self.request = request }
  }

  private nonisolated(nonsending) func refuse(_ failure: ParseFailure) async {
    (failure.status == 408 ? loop.counters.timedOut : loop.counters.refused).add()
    core.logger.info(
      "request refused",
      [
        "status": .int(failure.status.code), "reason": .string(failure.reason),
        "address": .string(peer.address.description),
      ])
    var response = failure.response
    if let refused, let handler = core.refusalHandler, let other = await handler(refused.request) { response = other }
    prepareOutput()
    _ = ResponseEncoder().encode(response, date: loop.date, to: &output)
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
}
