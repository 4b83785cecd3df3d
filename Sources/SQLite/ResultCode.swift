import CSQLite
import SQL

extension DatabaseError {
  /// Names an extended result code of SQLite.
  init(code: Int32, message: String) {
    switch (code, code & 0xff) {
    case (Int32(CSQLITE_CONSTRAINT_UNIQUE), _), (Int32(CSQLITE_CONSTRAINT_PRIMARYKEY), _),
      (Int32(CSQLITE_CONSTRAINT_ROWID), _):
      self = .duplicate
    case (_, SQLITE_BUSY), (_, SQLITE_LOCKED): self = .busy
    case (_, SQLITE_FULL): self = .full
    default: self = .failed(code: "\(code)", message: message)
    }
  }

  /// Whether `code` means that what is on the disk is no longer known, so that no further write may be promised.
  static func leavesFileUnknown(_ code: Int32) -> Bool {
    switch code & 0xff {
    case SQLITE_IOERR: code != Int32(CSQLITE_IOERR_NOMEM)
    case SQLITE_CORRUPT, SQLITE_NOTADB: true
    default: false
    }
  }

  /// Whether `code`, as found in ``failed(code:message:)``, is any kind of corruption.
  static func isCorruption(_ code: String) -> Bool {
    guard let code = Int32(code) else { return false }
    return code & 0xff == SQLITE_CORRUPT
  }
}
