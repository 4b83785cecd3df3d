import Glibc

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
  nonisolated(nonsending) func untilReadable(by deadline: Milliseconds, isIdle: Bool = false) async -> Wake {
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
    if direction == .read ? canRead : canWrite { wake(.ready) }
  }

  func wake(_ reason: Wake) {
    guard let waiter = unsafe waiter else { return }
    unsafe self.waiter = nil
    deadline = .max
    isIdle = false
    unsafe waiter.resume(returning: reason)
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
