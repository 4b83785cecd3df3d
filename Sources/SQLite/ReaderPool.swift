import Dispatch
import SQL
import Synchronization

/// The read-only connections, lent to one reader at a time.
///
/// A read runs on the thread that asks: it is short, never blocked by the writer, and a hop to another thread would
/// cost more than the read itself. The last returned connection is lent first, since its caches are warm.
final class ReaderPool: Sendable {
  private let idle = Mutex<[SQLiteHandle]?>([])
  private let permits = DispatchSemaphore(value: 0)
  private let size: Int
  private let open: @Sendable () throws(DatabaseError) -> SQLiteHandle

  init(size: Int, open: @escaping @Sendable () throws(DatabaseError) -> SQLiteHandle) {
    self.size = max(size, 1)
    self.open = open
    // Not the semaphore's initial value: libdispatch traps when a semaphore dies with less than it was born with.
    for _ in 0..<self.size { permits.signal() }
  }

  /// Runs `body` on one snapshot.
  func read<T>(_ body: (any Session) throws -> T) throws -> T {
    permits.wait()
    defer { permits.signal() }
    let reader = try lend()
    defer { idle.withLock { $0?.append(reader) } }
    try reader.begin(.deferred)
    do {
      let value = try body(reader)
      try reader.commit()
      return value
    } catch {
      reader.rollback()
      throw error
    }
  }

  /// Waits for reads in progress and closes every connection.
  func close() {
    for _ in 0..<size { permits.wait() }
    let readers = idle.withLock { idle in
      defer { idle = nil }
      return idle ?? []
    }
    readers.forEach { $0.close() }
    for _ in 0..<size { permits.signal() }
  }

  private func lend() throws(DatabaseError) -> SQLiteHandle {
    let warm = try idle.withLock { idle throws(DatabaseError) in
      if idle == nil { throw .failed(code: "closed", message: "the database is closed") }
      return idle?.popLast()
    }
    if let warm { return warm }
    return try open()
  }
}
