import Glibc

/// One thread that waits for its sockets and runs the tasks of their connections.
///
/// Sendable: everything but `executor` is touched on that thread only. It is entered by ``run()`` and by tasks that
/// prefer `executor`, which are resumed nowhere else; ``checkThread()`` proves it wherever a task first comes in.
@safe final class EventLoop: @unchecked Sendable {
  let executor: LoopExecutor
  let counters = LoopCounters()
  var buffers = BufferPool()
  /// The time at which this turn began.
  private(set) var now = EventLoop.clock()
  private(set) var isDraining = false
  /// Whether connections are still accepted or open.
  var isServing = true
  private var isDrained = false
  private(set) var connectionCount = 0
  /// The listening socket, whose task begins those of the connections.
  var entrance: Channel?
  /// Connections that waited without a task, and need one now.
  private var returning: [Connection] = []
  /// Connections with answers to send.
  private var unsent: [Connection] = []
  private let poller: Poller
  private var channels: [Channel?] = []
  private var serial: UInt32 = 0
  private var wheel = DeadlineWheel(now: EventLoop.clock())
  private var dateCache = DateCache()
  private var emptied: UnsafeContinuation<Bool, Never>?
  private var drainDeadline = Milliseconds.max
  private var pauses: Pauses

  /// - Parameter waitingTasks: How many connections keep their task while they wait for a request.
  /// - Throws: ``ServerFailure/listen(_:)`` when the process has no descriptor left.
  init(waitingTasks: Int) throws(ServerFailure) {
    pauses = Pauses(capacity: waitingTasks)
    executor = try LoopExecutor()
    poller = try Poller()
    guard poller.add(executor.wakeDescriptor) else { throw .listen("no room for an event: \(SystemError.text)") }
  }

  /// Runs until the server has stopped and nothing is left; the calling thread becomes the loop's.
  func run() {
    executor.adoptThread()
    while isServing || !isDrained {
      poller.wait(timeout) { descriptor, readiness in
        if descriptor == executor.wakeDescriptor {
          executor.takeInbox()
        } else if Int(descriptor) < channels.count {
          channels[Int(descriptor)]?.take(readiness)
        }
      }
      now = Self.clock()
      expire()
      executor.run()
      sendUnsent()
    }
  }

  /// Sends the answers of `connection` at the end of this turn, or when enough others wait for it, too.
  func sendAtTurnEnd(_ connection: Connection) {
    unsent.append(connection)
    if unsent.count >= BufferPool.spareCount { sendUnsent() }
  }

  private func sendUnsent() {
    guard !unsent.isEmpty else { return }
    for connection in unsent { connection.sendDeferred() }
    unsent.removeAll(keepingCapacity: true)
  }

  /// Stops the program when the caller is not on the loop's thread: going on would be a data race.
  func checkThread() { precondition(executor.isCurrent, "a connection's task left its loop") }

  /// The `Date` field's value of this second.
  var date: String { dateCache.text }

  /// Begins to watch a descriptor; `nil` when the system has no room, and then the descriptor stays the caller's.
  func makeChannel(_ descriptor: Int32) -> Channel? {
    guard poller.add(descriptor) else { return nil }
    serial &+= 1
    let channel = Channel(descriptor: descriptor, loop: self, serial: serial)
    while channels.count <= Int(descriptor) { channels.append(nil) }
    channels[Int(descriptor)] = channel
    return channel
  }

  func remove(_ channel: Channel) { channels[Int(channel.descriptor)] = nil }

  /// Sees to it that the channel's wait ends at its deadline.
  func watch(_ channel: Channel) {
    let deadline = channel.nextDeadline
    guard deadline != .max, deadline / DeadlineWheel.tick + 1 < channel.tick else { return }
    let entry = UInt64(channel.serial) << 32 | UInt64(UInt32(bitPattern: channel.descriptor))
    channel.tick = wheel.insert(entry, at: deadline, now: now)
  }

  /// Takes note that `channel` is about to wait for a request; another may have to go on without its task for that.
  ///
  /// - Returns: whether this one may keep its own.
  func keepsTask(of channel: Channel) -> Bool {
    guard let (pause, displaced) = pauses.begin(on: channel.descriptor) else { return false }
    channel.pause = pause.number
    if displaced.number > 0, let other = channels[Int(displaced.descriptor)], other.pause == displaced.number {
      other.wake(.displaced)
    }
    return true
  }

  /// Sees to it that a connection that waited without a task gets one.
  func bringBack(_ connection: Connection) {
    returning.append(connection)
    entrance?.wake(.ready)
  }

  func takeReturning() -> Connection? { returning.popLast() }

  func connectionOpened() { connectionCount += 1 }

  func connectionClosed() {
    connectionCount -= 1
    if connectionCount == 0 { finishDraining(true) }
  }

  private var timeout: Int32 {
    if executor.hasJobs { return 0 }
    let wait = min(wheel.wait(from: now) ?? .max, drainDeadline == .max ? .max : max(drainDeadline - now, 0))
    return wait == .max ? -1 : Int32(clamping: wait)
  }

  private func expire() {
    for entry in wheel.takeDue(at: now) {
      let descriptor = Int(UInt32(truncatingIfNeeded: entry))
      guard let channel = channels[descriptor], channel.serial == UInt32(entry >> 32),
        channel.tick <= now / DeadlineWheel.tick
      else { continue }
      channel.tick = .max
      channel.expire(at: now)
      watch(channel)
    }
    if drainDeadline <= now { finishDraining(false) }
  }

  private static func clock() -> Milliseconds {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
  }
}

extension EventLoop {
  /// Accepts nothing more, closes what is idle, and waits for the rest.
  ///
  /// - Returns: whether every connection ended before `limit` was over.
  func drain(within limit: Duration) async -> Bool {
    checkThread()
    isDraining = true
    defer { isDrained = true }
    for channel in channels { if let channel, channel.isIdle { channel.wake(.draining) } }
    if await untilEmpty(by: now + limit.milliseconds) { return true }
    for channel in channels { channel?.abort() }
    return false
  }

  private func untilEmpty(by deadline: Milliseconds) async -> Bool {
    if connectionCount == 0 { return true }
    drainDeadline = deadline
    return unsafe await withUnsafeContinuation { unsafe emptied = $0 }
  }

  private func finishDraining(_ isEmpty: Bool) {
    guard let waiter = unsafe emptied else { return }
    unsafe emptied = nil
    drainDeadline = .max
    unsafe waiter.resume(returning: isEmpty)
  }
}

extension Duration {
  /// Whole milliseconds, at least 0.
  var milliseconds: Milliseconds {
    Milliseconds(clamping: max(components.seconds, 0) * 1_000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
