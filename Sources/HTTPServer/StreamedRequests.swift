import HTTP
import Logging

/// A connection on its way into a task that stays on its loop.
///
/// Sendable: the tasks of one exchange prefer the loop's executor, so only the loop's thread touches the connection.
private struct OnLoop: @unchecked Sendable {
  let connection: Connection
}

extension Connection {
  /// How far the client's part of a streamed exchange has come.
  struct Exchange {
    /// Whether the body is read to its end, so that the next request can follow.
    var isBodyOver: Bool
    /// Whether some of the answer may have left.
    var isAnswering = false
    /// Whether there is nothing more to do.
    var isOver = false
    /// What is wrong with the body.
    var failure: ParseFailure?
  }

  /// Answers one request while its body comes, and ends the work for it when the client goes.
  ///
  /// A client that only stops sending counts as gone, too, as it does for other proxies.
  /// - Returns: whether the connection stays open.
  @inline(never)
  nonisolated(nonsending) func answerStreamed(_ head: RequestHead) async throws(Ending) -> Bool {
    let isFed = head.bodyFraming != .none && !head.discardsBody
    let pipe = isFed ? BytePipe() : nil
    let unused = isFed ? [] : try await readBody(of: head)
    var request = try origin.request(head, body: unused, of: peer)
    if let pipe {
      let length: Int? = if case .length(let length) = head.bodyFraming { length } else { nil }
      request.stream = Request.Stream(pipe, length: length)
    }
    answered += 1
    loop.counters.requests.add()
    mayBeSending = head.keepAlive
    exchange = Exchange(isBodyOver: !isFed)
    if isFed && head.expectsContinue && input.isEmpty { inviteBody() }
    // From here on one task sends, the answer's.
    if !output.isEmpty || peer.hasPending { try await flush() }
    let outcome = await converse(request, head, pipe)
    input.settle(into: &loop.buffers)
    if let failure = exchange.failure, !exchange.isAnswering { throw .refused(failure) }
    return try outcome.get()
  }

  /// Runs what goes on at the same time: the answer is made and sent, the body is read, the client may go.
  private nonisolated(nonsending) func converse(
    _ request: Request, _ head: RequestHead, _ pipe: BytePipe?
  ) async -> Result<Bool, Ending> {
    let place = OnLoop(connection: self)
    return await withTaskGroup(of: Result<Bool, Ending>?.self) { group in
      if let pipe {
        group.addTask(executorPreference: loop.executor) {
          await place.connection.feed(pipe, head)
          return nil
        }
      }
      group.addTask(executorPreference: loop.executor) {
        let outcome = await place.connection.respond(to: request, head)
        place.connection.exchange.isOver = true
        pipe?.abandon()
        place.connection.peer.channel.endAsides()
        return outcome
      }
      _ = await peer.channel.untilDeparture()
      if !exchange.isOver { group.cancelAll() }
      return await group.reduce(.failure(.gone)) { $1 ?? $0 }
    }
  }

  private nonisolated(nonsending) func respond(to request: Request, _ head: RequestHead) async -> Result<Bool, Ending> {
    loop.checkThread()
    let response = await core.handler(request)
    // Whoever sent a body that counts for nothing is told so instead.
    guard !Task.isCancelled && exchange.failure == nil else { return .failure(.gone) }
    exchange.isAnswering = true
    let encoder = ResponseEncoder(
      for: head, keepAlive: head.keepAlive && mayStayOpen && exchange.isBodyOver)
    do throws(Ending) { return .success(try await send(response, by: encoder)) } catch { return .failure(error) }
  }

  /// Reads the body into `pipe`, as fast as that takes it.
  private nonisolated(nonsending) func feed(_ pipe: BytePipe, _ head: RequestHead) async {
    loop.checkThread()
    do {
      if case .length(let length) = head.bodyFraming {
        try await feed(pipe, length: length)
      } else {
        try await feed(pipe, ChunkedDecoder(for: head))
      }
      exchange.isBodyOver = true
      pipe.finish()
    } catch {
      if case .refused(let failure) = error as? Ending { exchange.failure = failure }
      pipe.fail(error)
      // The reader of a body that cannot be had has nothing more to do.
      peer.channel.endAsides()
    }
  }

  private nonisolated(nonsending) func feed(_ pipe: BytePipe, length: Int) async throws {
    var left = length
    var pace = StreamPace(core.limits)
    while left > 0 {
      if input.isEmpty { try await receiveBody(&pace) }
      var piece: [UInt8] = []
      input.move(min(input.count, left), to: &piece)
      left -= piece.count
      try await pipe.write(piece)
    }
  }

  private nonisolated(nonsending) func feed(_ pipe: BytePipe, _ decoder: consuming ChunkedDecoder) async throws {
    var pace = StreamPace(core.limits)
    while true {
      var piece: [UInt8] = []
      do throws(ParseFailure) {
        let count = try input.withSpan { span throws(ParseFailure) in try decoder.decode(span, into: &piece) }
        input.consume(count)
      } catch { throw Ending.refused(error) }
      if !piece.isEmpty { try await pipe.write(piece) }
      if decoder.isComplete { return }
      if input.isEmpty { try await receiveBody(&pace) }
    }
  }

  /// Waits for more of a body while an answer may be on its way; sends nothing, which would come between.
  private nonisolated(nonsending) func receiveBody(_ pace: inout StreamPace) async throws(Ending) {
    while !exchange.isOver {
      switch try peer.read(into: &input) {
      case .bytes: return pace.came(input.count)
      case .end: throw .gone
      case .nothing: break
      }
      input.settle(into: &loop.buffers)
      let start = loop.now
      let wake = await peer.channel.untilBodyReadable(by: start + min(core.deadlines.bodyStall, pace.patience))
      pace.waited(loop.now - start)
      switch wake {
      case .ready: break
      case .expired: throw .tooSlow
      case .draining, .displaced: throw .gone
      }
    }
    throw .gone
  }
}
