import Glibc
import Synchronization

/// A signal from one side of a test to the other.
final class Flag: Sendable {
  private let isRaised = Atomic<Bool>(false)

  func raise() { isRaised.store(true, ordering: .releasing) }

  func wait() async { while !isRaised.load(ordering: .acquiring) { await Task.yield() } }

  /// Waits inside a transaction body.
  func block() { while !isRaised.load(ordering: .acquiring) { usleep(100) } }
}
