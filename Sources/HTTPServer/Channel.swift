import Glibc
import Logging

/// One descriptor on its loop: what it is ready for, and who waits for it.
///
/// Used on the loop's thread only; it is not Sendable, so the compiler keeps it inside the loop and its tasks.
@safe final class Channel {
  /// Why a wait ended.
  enum Wake {
    case ready
    case expired
    /// The server stops, and this was an idle wait.
    case draining
    /// Many others have begun to pause since; this pause goes on without a task.
    case displaced
  }

  enum Direction {
    case read
    case write
  }

  let descriptor: Int32
  let loop: EventLoop
  /// Tells this channel from an earlier one with the same descriptor.
  let serial: UInt32
  private(set) var isOpen = true
  var canRead = false
  var canWrite = true
  private(set) var hasHungUp = false
  /// Whether the present wait ends when the server stops.
  private(set) var isIdle = false
  private var direction = Direction.read
  private var waiter: UnsafeContinuation<Wake, Never>?
  /// Who waits for more of a body, beside whoever sends the answer to it.
  private var bodyWaiter: UnsafeContinuation<Wake, Never>?
  private var bodyDeadline = Milliseconds.max
  /// Who waits for the other end to go.
  private var departureWaiter: UnsafeContinuation<Wake, Never>?
  /// Who waits here without a task.
  private var parked: Connection?
  /// Which of the loop's pauses the present wait is; 0 for other waits.
  var pause = 0
  /// When the present wait ends at the latest.
  private(set) var deadline = Milliseconds.max
  /// Where the loop's wheel looks at this channel next.
  var tick = Int.max

  init(descriptor: Int32, loop: EventLoop, serial: UInt32) {
    self.descriptor = descriptor
    self.loop = loop
    self.serial = serial
  }

  /// Waits until a read would give something, or the end.
  ///
  /// Inlined, because every call that may suspend costs a look at the task's executor when it returns.
  @inline(__always) nonisolated(nonsending) func untilReadable(by deadline: Milliseconds, isIdle: Bool = false) async
    -> Wake
  {
    if canRead { return .ready }
    if isIdle && loop.isDraining { return .draining }
    guard expect(.read, by: deadline) else { return .expired }
    self.isIdle = isIdle
    return unsafe await withUnsafeContinuation { unsafe waiter = $0 }
  }

  /// Waits until a write would take something, or fail.
  nonisolated(nonsending) func untilWritable(by deadline: Milliseconds) async -> Wake {
    if canWrite { return .ready }
    guard expect(.write, by: deadline) else { return .expired }
    return unsafe await withUnsafeContinuation { unsafe waiter = $0 }
  }

  /// Waits until more of a body would come, or the end, beside another wait.
  nonisolated(nonsending) func untilBodyReadable(by deadline: Milliseconds) async -> Wake {
    if canRead { return .ready }
    guard isOpen else { return .expired }
    bodyDeadline = deadline
    loop.watch(self)
    return unsafe await withUnsafeContinuation { unsafe bodyWaiter = $0 }
  }

  /// Waits until the other end sends nothing more, or is gone (`ready`), or ``endAsides()``.
  nonisolated(nonsending) func untilDeparture() async -> Wake {
    if hasHungUp { return .ready }
    return unsafe await withUnsafeContinuation { unsafe departureWaiter = $0 }
  }

  /// Ends the waits that stand beside the main one.
  func endAsides() {
    wakeBody(.displaced)
    wakeDeparture(.displaced)
  }

  private func wakeBody(_ reason: Wake) {
    guard let waiter = unsafe bodyWaiter else { return }
    bodyDeadline = .max
    unsafe bodyWaiter = nil
    unsafe waiter.resume(returning: reason)
  }

  private func wakeDeparture(_ reason: Wake) {
    guard let waiter = unsafe departureWaiter else { return }
    unsafe departureWaiter = nil
    unsafe waiter.resume(returning: reason)
  }

  /// When the loop has to look at this channel at the latest.
  var nextDeadline: Milliseconds { min(deadline, bodyDeadline) }

  /// Ends the waits whose time is over.
  func expire(at now: Milliseconds) {
    if deadline <= now { wake(.expired) }
    if bodyDeadline <= now { wakeBody(.expired) }
  }

  /// Lets `connection` wait for something to read without a task.
  ///
  /// It comes back through ``EventLoop/takeReturning()``: when it is readable, at `deadline`, or when the server stops.
  func park(_ connection: Connection, until deadline: Milliseconds) {
    guard expect(.read, by: deadline) else { return }
    parked = connection
    isIdle = true
    loop.counters.parked.add(1)
  }

  private func expect(_ direction: Direction, by deadline: Milliseconds) -> Bool {
    guard isOpen else { return false }
    self.direction = direction
    self.deadline = deadline
    loop.watch(self)
    return true
  }

  /// Takes note of a change, and wakes who waited for it.
  func take(_ readiness: Readiness) {
    if readiness.canRead { canRead = true }
    if readiness.canWrite { canWrite = true }
    if readiness.hasHungUp { hasHungUp = true }
    if canRead { wakeBody(.ready) }
    if hasHungUp { wakeDeparture(.ready) }
    if direction == .read ? canRead : canWrite { wake(.ready) }
  }

  func wake(_ reason: Wake) {
    deadline = .max
    isIdle = false
    pause = 0
    if let waiter = unsafe waiter {
      unsafe self.waiter = nil
      unsafe waiter.resume(returning: reason)
    } else if let connection = parked {
      parked = nil
      loop.counters.parked.add(-1)
      loop.bringBack(connection)
    }
  }

  /// Ends both directions at once; whoever waits finds out.
  func abort() { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

  func close() {
    guard isOpen else { return }
    isOpen = false
    loop.remove(self)
    Glibc.close(descriptor)
  }
}
