import CLinux
import Glibc

/// Owner of one epoll descriptor.
@safe struct Poller: ~Copyable {
  private static let capacity = 256
  private let descriptor: Int32
  private let events: UnsafeMutableBufferPointer<epoll_event>

  /// - Throws: ``ServerFailure/listen(_:)`` when the process has no descriptor left.
  init() throws(ServerFailure) {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw .listen("no epoll descriptor: \(SystemError.text)") }
    self.descriptor = descriptor
    unsafe events = .allocate(capacity: Self.capacity)
    unsafe events.initialize(repeating: epoll_event())
  }

  deinit {
    close(descriptor)
    unsafe events.deallocate()
  }

  /// Reports every change of `other` from now on, until it is closed; `false` when the system has no room.
  func add(_ other: Int32) -> Bool {
    linux_epoll_add(descriptor, other, (EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue))
      == 0
  }

  /// Waits for changes, at most `timeout` milliseconds (-1: for ever), and reports each to `body`.
  func wait(_ timeout: Int32, _ body: (Int32, Readiness) -> Void) {
    let count = unsafe epoll_wait(descriptor, events.baseAddress, Int32(Self.capacity), timeout)
    for index in 0..<max(Int(count), 0) {
      let changed = unsafe linux_event_descriptor(&events[index])
      body(changed, unsafe Readiness(events: events[index].events))
    }
  }
}

/// What a descriptor is ready for.
struct Readiness {
  let canRead: Bool
  let canWrite: Bool
  /// The other end sends nothing more, or is gone.
  let hasHungUp: Bool

  init(events: UInt32) {
    let gone = EPOLLHUP.rawValue | EPOLLERR.rawValue
    hasHungUp = events & (gone | EPOLLRDHUP.rawValue) != 0
    canRead = hasHungUp || events & EPOLLIN.rawValue != 0
    canWrite = events & (gone | EPOLLOUT.rawValue) != 0
  }
}
