import Glibc
import Synchronization

/// Something that happens once and that threads wait for.
final class Flag: Sendable {
  private let isUp = Atomic(false)

  func raise() { isUp.store(true, ordering: .releasing) }

  func wait() { while !isUp.load(ordering: .acquiring) { usleep(1000) } }
}
