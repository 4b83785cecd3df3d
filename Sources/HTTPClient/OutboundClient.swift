import HTTP

/// The one way out: sends requests to other servers, within limits and only where they may go.
///
/// One thread runs all exchanges; callers suspend and hold no thread. It follows no redirect, keeps no cookie, and
/// reads no proxy, netrc or certificate setting from the environment.
public final class OutboundClient: Sendable {
  private let inbox: Inbox

  /// Starts the outbound thread.
  ///
  /// - Throws: ``OutboundStartFailure`` when libcurl, the system's certificates or a thread are not to be had.
  public init(_ settings: OutboundSettings = OutboundSettings()) throws(OutboundStartFailure) {
    guard let multi = CurlMulti(kept: settings.keptConnections), let bundle = CurlHandle.systemBundle() else {
      throw .library
    }
    let bundles = [bundle] + (settings.authorities.map { [$0] } ?? [])
    if let own = settings.authorities, TrustStore(files: [own]) == nil { throw .authorities(own) }
    let inbox = Inbox(waking: multi)
    self.inbox = inbox
    let error = OutboundThread.start { OutboundLoop(inbox, multi, settings, bundles: bundles).run() }
    guard error == 0 else { throw .thread(error) }
  }

  deinit { inbox.close(by: .now, nil) }

  /// Sends a request and returns the complete answer, whatever its status.
  ///
  /// The task's cancellation is ignored unless the request is `cancellable`.
  ///
  /// - Throws: ``OutboundFailure``; its case tells whether the request may have taken effect.
  public func send(_ request: OutboundRequest) async throws(OutboundFailure) -> OutboundResponse {
    let deadline = ContinuousClock.now + request.limits.total
    return try await exchange(request, by: deadline, cancellable: request.cancellable, answer: nil)
  }

  /// Sends a request and returns the head of its answer as soon as that is there; bodies of any size go both ways.
  ///
  /// A body takes as much memory as a ``HTTP/BytePipe``. Cancelling the task ends the exchange, before and after.
  ///
  /// - Throws: ``OutboundFailure`` when no head came.
  public func open(_ request: OutboundRequest) async throws(OutboundFailure) -> OutboundAnswer {
    let body = BytePipe()
    var deadline = ContinuousClock.now + min(request.limits.total, Self.longestWait)
    if let sendBefore = request.sendBefore { deadline = min(deadline, sendBefore) }
    let head = try await exchange(request, by: deadline, cancellable: true, answer: body)
    return OutboundAnswer(status: head.status, headers: head.headers, body: PipeReader(body))
  }

  /// How long a streamed exchange, which may last long, waits for a place.
  private static let longestWait = Duration.seconds(10)

  /// Closes the connections that requests of `credential` opened, of every generation; those in use when their exchange
  /// ends.
  public func closeConnections(of credential: String) { inbox.end(credential) }

  /// Takes no more requests, waits for those under way, and ends what is left when `patience` is over.
  public func close(within patience: Duration) async {
    await withCheckedContinuation { inbox.close(by: .now + patience, $0) }
  }

  private func exchange(
    _ request: OutboundRequest, by deadline: ContinuousClock.Instant, cancellable: Bool, answer: BytePipe?
  ) async throws(OutboundFailure) -> OutboundResponse {
    let (url, id) = (try request.checked(), inbox.nextID())
    let inbox = inbox
    if let answer {
      answer.setBell { inbox.resume(id) }
      request.stream?.pipe.setBell { inbox.resume(id) }
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { reply in
        let job = Job(id: id, request: request, url: url, deadline: deadline, answer: answer, reply: reply)
        guard inbox.submit(job) else {
          return reply.resume(returning: .failure(.notSent(.init(.closed, "The client is closed."))))
        }
        // A cancellation that came before the job was handed over found nothing to cancel.
        if cancellable && Task.isCancelled { inbox.cancel(id) }
        request.onStart? { inbox.cancel(id) }
      }
    } onCancel: {
      if cancellable { inbox.cancel(id) }
    }
    return try result.get()
  }
}

/// Why the client cannot start.
public enum OutboundStartFailure: Error, Sendable, Equatable {
  case library
  /// The file holds no certificates, or one that cannot be read.
  case authorities(String)
  /// No thread, with the system's error number.
  case thread(Int32)
}

/// How much the client does at a time and keeps.
public struct OutboundSettings: Sendable, Equatable {
  /// Exchanges under way at a time.
  public var inFlight = 256
  /// Exchanges under way at a time with one host and port.
  public var perOrigin = 32
  /// Requests that wait for a place; more fail at once.
  public var waiting = 1024
  /// Idle connections kept in each pool.
  public var keptConnections = 64
  /// Pools kept while nobody uses them.
  public var keptPools = 256
  /// How long an unused pool, with its connections, is kept.
  public var idle: Duration = .seconds(60)
  public var userAgent = "Gatehouse"
  /// A PEM file of certificates that every request trusts besides the system's.
  public var authorities: String?

  public init() {}
}
