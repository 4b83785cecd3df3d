internal import CLinux
import Dispatch
import Synchronization

/// The queue of a ``HashingPool`` has no place left.
public struct HashingPoolFull: Error {}

/// A few threads of low priority for password hashing, which would hold up everything else on a loop.
///
/// At nice +15, where each gets a thirtieth of a busy core, they leave the token endpoints their speed; the bound on
/// threads and places also bounds the memory that Argon2 takes.
public final class HashingPool: Sendable {
  private typealias Job = @Sendable () -> Void

  private let queue: Mutex<FairQueue<Job>>
  private let wakeUps = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - threads: How many hash at once; unless set, as many as half of the cores, one or two.
  ///   - capacity: How many wait at most.
  public init(threads: Int? = nil, capacity: Int = 64) {
    let threads = threads ?? min(2, max(1, Int(linux_usable_cores()) / 2))
    queue = Mutex(FairQueue(capacity: capacity, share: max(capacity / 8, 1)))
    for _ in 0..<threads { BackgroundThread.start(niceness: 15) { [self] in serve() } }
  }

  /// Runs `work` when its turn comes and returns what it returns.
  ///
  /// - Throws: ``HashingPoolFull`` at once when there is no place; whatever `work` throws.
  public func run<T: Sendable>(
    for network: String, isKnownDevice: Bool, _ work: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      let job: Job = { continuation.resume(with: Result { try work() }) }
      let isQueued = queue.withLock { $0.append(job, from: network, isKnown: isKnownDevice) }
      if isQueued { wakeUps.signal() } else { continuation.resume(throwing: HashingPoolFull()) }
    }
  }

  private func serve() {
    while true {
      wakeUps.wait()
      if let job = queue.withLock({ $0.popFirst() }) { job() }
    }
  }
}
