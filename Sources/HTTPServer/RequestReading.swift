import HTTP

extension Connection {
  /// Takes what has come after a pause; there may be nothing yet.
  ///
  /// - Throws: `.gone` when no request comes any more.
  @inline(never) func takeFirstBytes(_ wake: Channel.Wake) throws(Ending) {
    // When the server stops, a request may have come in this very moment.
    if wake == .draining { peer.channel.canRead = true }
    let reading = wake == .expired ? .end : try peer.read(into: &input)
    if input.isEmpty { input.settle(into: &loop.buffers) }
    if reading == .end || reading == .nothing && wake == .draining { throw .gone }
  }

  /// Reads the head of a request of which only a part is there; waits for the rest as long as the limits allow.
  ///
  /// - Throws: `.gone` when the client leaves, `.refused` when it is malformed, too large or too slow.
  nonisolated(nonsending) func readHead() async throws(Ending) -> RequestHead {
    let deadline = loop.now + core.deadlines.head
    while true {
      let looked = input.count
      guard !input.isFull else { throw unreadable(ParseFailure(431, "head does not fit the buffer")) }
      repeat { try await receive(by: deadline) } while !isWorthParsing(looked: looked)
      if let head = try parseHead() { return head }
    }
  }

  /// Reads the body that `head` announces.
  ///
  /// - Throws: `.gone` when the client leaves, `.refused` when the body is malformed, too large or too slow.
  nonisolated(nonsending) func readBody(of head: RequestHead) async throws(Ending) -> [UInt8] {
    do throws(Ending) { return try await receiveBody(of: head) } catch {
      if case .refused(let failure) = error {
        refused = Refused(
          RefusedRequest(failure, target: head.target, origin: head.headers.single("origin")))
      }
      throw error
    }
  }

  private nonisolated(nonsending) func receiveBody(of head: RequestHead) async throws(Ending) -> [UInt8] {
    switch head.bodyFraming {
    case .none: return []
    case .length(let length):
      if head.expectsContinue && input.isEmpty { inviteBody() }
      return try await readBody(length: length)
    case .chunked:
      if head.expectsContinue && input.isEmpty { inviteBody() }
      return try await readChunks(of: head)
    }
  }

  private nonisolated(nonsending) func readBody(length: Int) async throws(Ending) -> [UInt8] {
    let pace = BodyPace(start: loop.now, limits: core.limits)
    var body: [UInt8] = []
    body.reserveCapacity(min(length, BufferPool.inputSize))
    while true {
      input.move(min(input.count, length - body.count), to: &body)
      if body.count == length { return body }
      try await receive(by: pace.deadline(after: body.count))
    }
  }

  private nonisolated(nonsending) func readChunks(of head: RequestHead) async throws(Ending) -> [UInt8] {
    let pace = BodyPace(start: loop.now, limits: core.limits)
    var decoder = ChunkedDecoder(for: head)
    var body: [UInt8] = []
    while true {
      do throws(ParseFailure) {
        let count = try input.withSpan { span throws(ParseFailure) in try decoder.decode(span, into: &body) }
        input.consume(count)
      } catch { throw .refused(error) }
      if decoder.isComplete { return body }
      try await receive(by: pace.deadline(after: body.count))
    }
  }

  /// Tells a client that waits for it to send the body.
  func inviteBody() {
    prepareOutput()
    ResponseEncoder.appendContinue(to: &output)
  }

  /// Takes the head of the next request, if all of it is there.
  func parseHead() throws(Ending) -> RequestHead? {
    do throws(ParseFailure) {
      let head = try input.withSpan { span throws(ParseFailure) in
        try RequestParser.parseHead(span, limits: core.limits.sizes)
      }
      if let head { input.consume(head.byteCount) }
      return head
    } catch { throw unreadable(error) }
  }

  /// The end of a connection whose next head cannot be read.
  private func unreadable(_ failure: ParseFailure) -> Ending {
    refused = Refused(input.withSpan { RefusedRequest(failure, beginning: $0) })
    return .refused(failure)
  }

  /// A head that comes byte by byte must not be parsed from its start at each of them.
  private func isWorthParsing(looked: Int) -> Bool {
    if input.count >= 2 * looked || input.isFull { return true }
    return input.withSpan { span in
      for index in looked..<span.count where span[index] == 0x0A { return true }
      return false
    }
  }

  /// Waits for more of a request that has begun.
  private nonisolated(nonsending) func receive(by deadline: Milliseconds) async throws(Ending) {
    if !output.isEmpty { try await flush() }
    while true {
      let reading = try peer.read(into: &input)
      if peer.hasPending { try await peer.sendPending() }
      switch reading {
      case .bytes: return
      case .end: throw .gone
      case .nothing: break
      }
      input.settle(into: &loop.buffers)
      guard await peer.channel.untilReadable(by: deadline) == .ready else { throw .tooSlow }
    }
  }
}
