import Glibc
import SQLite
import Synchronization

/// A signal from one side of a test to the other.
final class Flag: Sendable {
  private let isRaised = Atomic<Bool>(false)

  func raise() { isRaised.store(true, ordering: .releasing) }

  func wait() async { while !isRaised.load(ordering: .acquiring) { await Task.yield() } }

  /// Waits inside a transaction body.
  func block() { while !isRaised.load(ordering: .acquiring) { usleep(100) } }
}

extension SQLiteDatabase.Options {
  static func oneReader(cachedStatements: Int = 256) -> SQLiteDatabase.Options {
    var options = SQLiteDatabase.Options()
    options.readers = 1
    options.cachedStatements = cachedStatements
    return options
  }
}
