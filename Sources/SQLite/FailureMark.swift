import SQL
import Synchronization

/// The first failure after which the file's state is unknown, shared by all connections of one database.
///
/// A failed `fsync` may have dropped pages that were never written, and trying again reports success: so nothing is
/// written any more once this is set, until the database is opened again.
final class FailureMark: Sendable {
  private let first = Mutex<DatabaseError?>(nil)
  /// Looked at after every write, where a lock would be felt.
  private let isSet = Atomic<Bool>(false)

  var error: DatabaseError? { isSet.load(ordering: .acquiring) ? first.withLock { $0 } : nil }

  func set(_ error: DatabaseError) {
    first.withLock { if $0 == nil { $0 = error } }
    isSet.store(true, ordering: .releasing)
  }

  /// Whether the last writes found no room on the disk.
  var isFull: Bool { full.load(ordering: .relaxed) }
  private let full = Atomic<Bool>(false)

  func noteRoom(_ hasRoom: Bool) { full.store(!hasRoom, ordering: .relaxed) }

  func check() throws(DatabaseError) {
    if let error { throw error }
  }
}
