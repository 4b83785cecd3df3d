import CLinux
import Glibc
import Synchronization

/// Runs the jobs of tasks on one loop's thread.
///
/// Sendable: `local` is touched by that thread only, which every use checks or knows; the inbox is locked.
final class LoopExecutor: TaskExecutor, @unchecked Sendable {
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var isWoken = false
  }

  /// Becomes readable when another thread leaves a job.
  let wakeDescriptor: Int32
  private let thread = Atomic<pthread_t>(0)
  private let inbox = Mutex(Inbox())
  private var local: [UnownedJob] = []
  private var running: [UnownedJob] = []
  /// Jobs that follow from jobs wait at most this many rounds before the sockets are looked at again.
  private static let rounds = 8

  /// - Throws: ``ServerFailure/listen(_:)`` when the process has no descriptor left.
  init() throws(ServerFailure) {
    wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard wakeDescriptor >= 0 else { throw .listen("no event descriptor: \(SystemError.text)") }
  }

  deinit { close(wakeDescriptor) }

  /// Makes the calling thread the one that runs the jobs.
  func adoptThread() { thread.store(pthread_self(), ordering: .releasing) }

  /// Whether the caller runs on the loop's thread.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  var hasJobs: Bool { !local.isEmpty }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      local.append(job)
      return
    }
    let wakes = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isWoken = true }
      return !inbox.isWoken
    }
    guard wakes else { return }
    var one: UInt64 = 1
    // Can only fail when the counter is full, and then the loop wakes anyway.
    _ = unsafe write(wakeDescriptor, &one, 8)
  }

  /// Moves what other threads left to the loop's own jobs; called when the wake descriptor is readable.
  func takeInbox() {
    var count: UInt64 = 0
    _ = unsafe read(wakeDescriptor, &count, 8)
    let jobs = inbox.withLock { inbox in
      defer { inbox = Inbox() }
      return inbox.jobs
    }
    local.append(contentsOf: jobs)
  }

  /// Runs the jobs there are, and those they make, within reason.
  func run() {
    let executor = unsafe asUnownedTaskExecutor()
    for _ in 0..<Self.rounds {
      guard !local.isEmpty else { return }
      swap(&local, &running)
      running.forEach { unsafe $0.runSynchronously(on: executor) }
      running.removeAll(keepingCapacity: true)
    }
  }
}
