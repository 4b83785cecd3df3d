import Glibc
import SQL

/// The file of a database: only its owner may read it, and its name may not lead elsewhere.
struct DatabaseFile: Sendable {
  /// The path without symbolic links.
  let path: String
  private let isTemporary: Bool

  /// Finds or creates the file at `path` (mode 0600) and its directory (mode 0700).
  ///
  /// SQLite gives the log and its index the mode of the file.
  init(path: String) throws(DatabaseError) {
    let (directory, name) = Self.split(path)
    guard !name.isEmpty, name != ".", name != ".." else { throw Self.refusal(path, "is not the name of a file") }
    try Self.secure(directory: directory)
    self.path = try Self.resolve(directory) + "/" + name
    isTemporary = false
    try Self.secure(file: self.path)
  }

  /// Creates an empty file in a new directory of its own, which is removed with it.
  init(temporaryNamed name: String) throws(DatabaseError) {
    var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Self.refusal("/tmp", Self.reason(errno)) }
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    path = directory + "/" + name + ".db"
    isTemporary = true
    try Self.create(file: path)
  }

  /// Creates an empty file with mode 0600; refuses a name that is taken.
  ///
  /// An existing database file is never opened here: closing any descriptor of it would drop the locks that SQLite
  /// holds on it in this process (fcntl(2), "advisory record locking").
  static func create(file path: String) throws(DatabaseError) {
    let descriptor = unsafe Glibc.open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refusal(path, reason(errno)) }
    Glibc.close(descriptor)
  }

  static func remove(file path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unsafe _ = unlink(path + suffix) }
  }

  func removeIfTemporary() {
    guard isTemporary else { return }
    Self.remove(file: path)
    unsafe _ = rmdir(Self.split(path).directory)
  }

  private static func secure(directory: String) throws(DatabaseError) {
    guard let found = try status(directory) else {
      guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw refusal(directory, reason(errno)) }
      return
    }
    guard found.kind == S_IFDIR else { throw refusal(directory, "is not a directory (symbolic links are refused)") }
    guard found.isPrivate else {
      throw refusal(directory, "is open to other users; close it with: chmod 700 '\(directory)'")
    }
  }

  private static func secure(file path: String) throws(DatabaseError) {
    guard let found = try status(path) else { return try create(file: path) }
    guard found.kind == S_IFREG else { throw refusal(path, "is not a regular file (symbolic links are refused)") }
    guard found.owner == geteuid() else { throw refusal(path, "belongs to another user; give it to this one") }
    guard found.isPrivate else { throw refusal(path, "is open to other users; close it with: chmod 600 '\(path)'") }
  }

  private struct Status {
    let kind: mode_t
    let isPrivate: Bool
    let owner: uid_t
  }

  private static func status(_ path: String) throws(DatabaseError) -> Status? {
    var found = stat()
    guard unsafe lstat(path, &found) == 0 else {
      if errno == ENOENT { return nil }
      throw refusal(path, reason(errno))
    }
    return Status(kind: found.st_mode & S_IFMT, isPrivate: found.st_mode & 0o077 == 0, owner: found.st_uid)
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let directory = String(path[..<slash])
    return (directory.isEmpty ? "/" : directory, String(path[path.index(after: slash)...]))
  }

  private static func resolve(_ directory: String) throws(DatabaseError) -> String {
    guard let resolved = unsafe realpath(directory, nil) else { throw refusal(directory, reason(errno)) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

  private static func refusal(_ path: String, _ reason: String) -> DatabaseError {
    .failed(code: "file", message: "\(path): \(reason)")
  }
}
