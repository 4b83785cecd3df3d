import CCurl
import HTTP

/// The outbound thread's work: starts, drives and ends exchanges; made and used on that thread only.
final class OutboundLoop {
  private struct Running {
    let handle: CurlHandle
    let job: Job
    /// Whether the caller has the answer's head.
    var isAnswered = false
  }

  private let inbox: Inbox
  private let multi: CurlMulti
  private let settings: OutboundSettings
  private let trust: TrustStores
  private let pools: ConnectionPools
  private var spare: [CurlHandle] = []
  private var running: [CurlHandle.ID: Running] = [:]
  /// The streamed ones among them.
  private var streams: [UInt64: CurlHandle.ID] = [:]
  private var perOrigin: [Reach.Endpoint: Int] = [:]
  private var waiting: [Job] = []
  private var now = ContinuousClock.now
  private var nextSweep: ContinuousClock.Instant

  init(_ inbox: Inbox, _ multi: CurlMulti, _ settings: OutboundSettings, bundles: [String]) {
    self.inbox = inbox
    self.multi = multi
    self.settings = settings
    trust = TrustStores(bundles: bundles)
    pools = ConnectionPools(capacity: settings.keptPools, idle: settings.idle)
    nextSweep = now + settings.idle
  }

  /// Works until the client is closed and nothing is left to do.
  func run() {
    while turn() {}
    inbox.end()
  }

  /// Does what there is to do, then waits for more; `false` when the client is closed and all is done.
  private func turn() -> Bool {
    let batch = inbox.take()
    now = .now
    waiting += batch.jobs
    batch.cancelled.forEach(cancel)
    batch.resumed.forEach(resume)
    batch.ended.forEach(pools.close)
    giveUp(closing: batch.closing)
    startWaiting()
    multi.perform()
    streams.values.forEach(handOn)
    now = .now
    var hasEnded = false
    while let ended = multi.nextEnded() {
      finish(ended.handle, ended.code)
      hasEnded = true
    }
    if pools.isOverfull || now >= nextSweep { sweep() }
    if hasEnded && !waiting.isEmpty { return true }
    if batch.closing != nil && running.isEmpty && waiting.isEmpty { return false }
    multi.poll(milliseconds: patience(closing: batch.closing))
    return true
  }

  /// Starts what has a place: in the order of arrival, but nobody waits behind another host's crowd.
  private func startWaiting() {
    guard !waiting.isEmpty else { return }
    var left: [Job] = []
    for job in waiting {
      if running.count < settings.inFlight && perOrigin[job.origin, default: 0] < settings.perOrigin {
        start(job)
      } else if left.count < settings.waiting {
        left.append(job)
      } else {
        fail(job, .overloaded, "Too many requests are waiting for their turn.")
      }
    }
    waiting = left
  }

  private func start(_ job: Job) {
    // A used handle remembers the last server's challenge, also one that it did not answer, and would meet that first.
    let used = job.request.network?.login == nil ? spare.popLast() : nil
    let handle = used ?? CurlHandle(trust: trust, userAgent: settings.userAgent)
    let key = ConnectionPools.Key(job.request)
    guard let handle, let pool = pools.take(key, at: now) else {
      return fail(job, .library, "libcurl is out of memory.")
    }
    do throws(CurlRefusal) {
      let time = job.answer == nil ? job.deadline - now : job.request.limits.total
      try handle.prepare(job, in: pool, time: time)
      guard multi.add(handle) else { throw CurlRefusal(code: CURLE_FAILED_INIT) }
      running[handle.id] = Running(handle: handle, job: job)
      if job.answer != nil { streams[job.id] = handle.id }
      perOrigin[job.origin, default: 0] += 1
    } catch {
      let detail = handle.explanation(of: error.code)
      retire(handle)
      pools.giveBack(key, at: now)
      fail(job, .library, detail)
    }
  }

  /// Answers the caller of an exchange that libcurl has ended.
  private func finish(_ id: CurlHandle.ID, _ code: CURLcode) {
    guard let ended = running[id] else { return }
    end(ended, with: ended.handle.outcome(code))
  }

  /// Ends an exchange early.
  private func abort(_ under: Running, _ kind: OutboundFailure.Kind, _ detail: String) {
    let failure = under.handle.exchange?.failure(.init(kind, detail))
    end(under, with: .failure(failure ?? .notSent(.init(kind, detail))))
  }

  private func end(_ ended: Running, with result: Result<OutboundResponse, OutboundFailure>) {
    running[ended.handle.id] = nil
    streams[ended.job.id] = nil
    multi.remove(ended.handle)
    retire(ended.handle)
    pools.giveBack(ConnectionPools.Key(ended.job.request), at: now)
    let others = perOrigin[ended.job.origin, default: 1] - 1
    perOrigin[ended.job.origin] = others == 0 ? nil : others
    answer(ended, with: result)
  }

  private func answer(_ ended: Running, with result: Result<OutboundResponse, OutboundFailure>) {
    guard let body = ended.job.answer else { return ended.job.reply.resume(returning: result) }
    if !ended.isAnswered { ended.job.reply.resume(returning: result) }
    // Before anybody learns of the end, so that whoever does finds both bodies over.
    ended.job.request.stream?.pipe.abandon()
    switch result {
    case .success: body.finish()
    case .failure(let failure): body.fail(failure)
    }
  }

  /// Tells the caller of a streamed exchange what has come of its answer.
  private func handOn(_ id: CurlHandle.ID) {
    guard let under = running[id] else { return }
    if !under.isAnswered, let head = under.handle.exchange?.head {
      running[id]?.isAnswered = true
      under.job.reply.resume(returning: .success(head))
      // libcurl stops sending after an answer of 300 and above, but would wait for a body that is paused.
      under.handle.resume()
    }
    under.job.answer?.deliver()
  }

  /// Goes on with a streamed exchange, or ends one that nobody waits for any more.
  private func resume(_ id: UInt64) {
    guard let under = streams[id].flatMap({ running[$0] }) else { return }
    if under.job.answer?.isAbandoned == true {
      abort(under, .cancelled, "The answer's reader has gone.")
    } else {
      under.handle.resume()
    }
  }

  /// Keeps a handle for later; one that cannot be emptied is freed.
  private func retire(_ handle: CurlHandle) {
    do throws(CurlRefusal) {
      try handle.recycle()
      if spare.count < settings.perOrigin && !handle.remembersLogin { spare.append(handle) }
    } catch {
      spare.removeAll { $0 === handle }
    }
  }

  private func fail(_ job: Job, _ kind: OutboundFailure.Kind, _ detail: String) {
    job.reply.resume(returning: .failure(.notSent(.init(kind, detail))))
  }

  private func cancel(_ id: UInt64) {
    let detail = "The caller was cancelled."
    if let place = waiting.firstIndex(where: { $0.id == id }) {
      fail(waiting.remove(at: place), .cancelled, detail)
    } else if let under = running.values.first(where: { $0.job.id == id }) {
      abort(under, .cancelled, detail)
    }
  }

  /// Ends what has no time left.
  private func giveUp(closing: ContinuousClock.Instant?) {
    let late = waiting.filter { $0.deadline <= now }
    waiting.removeAll { $0.deadline <= now }
    late.forEach { fail($0, .timeout, "No place became free in time.") }
    guard let closing, closing <= now else { return }
    let detail = "The client was closed."
    waiting.forEach { fail($0, .closed, detail) }
    waiting = []
    running.values.forEach { abort($0, .closed, detail) }
  }

  private func sweep() {
    pools.sweep(at: now)
    nextSweep = now + settings.idle
  }

  /// How long to wait at most for something to happen; libcurl knows the time limits of what is under way.
  private func patience(closing: ContinuousClock.Instant?) -> Int32 {
    var until = pools.isEmpty ? now + .seconds(600) : nextSweep
    waiting.forEach { until = min(until, $0.deadline) }
    if let closing { until = min(until, closing) }
    return Int32((max(until, now) - now).milliseconds)
  }
}

extension Job {
  /// What the number of exchanges at a time is limited for.
  fileprivate var origin: Reach.Endpoint { Reach.Endpoint(of: url) }
}
