import Domain
import Glibc

/// Small files read and written whole, with the modes that secrets need.
enum Files {
  /// What went wrong with a file, in a sentence for the administrator.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ action: String, _ path: String) {
      description = unsafe "cannot \(action) \(path): \(String(cString: strerror(errno)))"
    }

    init(_ description: String) { self.description = description }
  }

  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Reads a file of at most `limit` bytes.
  static func read(_ path: String, limit: Int = 1 << 20) throws(Failure) -> [UInt8] {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("read", path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw Failure("read", path) }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
      guard bytes.count <= limit else { throw Failure("\(path) is larger than \(limit) bytes.") }
    }
  }

  /// Reads a file that holds a secret: it must belong to us or root, and nobody else may read it.
  static func readSecret(_ path: String) throws(Failure) -> Secret {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw Failure("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Failure("\(path) is not a regular file.") }
    guard status.st_mode & 0o077 == 0 else {
      throw Failure("\(path) can be read by other users of this machine. Run: chmod 0400 \(path)")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw Failure("\(path) belongs to another user. Run Gatehouse as that user, or change the owner.")
    }
    return Secret(try read(path, limit: 64 * 1024))
  }

  /// Reads a file that holds a secret on one line.
  static func readPassword(_ path: String) throws(Failure) -> Secret {
    let text = try readSecret(path).revealedText
    return Secret(text.hasSuffix("\n") ? String(text.dropLast()) : text)
  }

  /// A path that means the same in any working directory.
  static func wholePath(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(directory) }
    return unsafe "\(String(cString: directory))/\(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)"
  }

  /// Whether there is a file that holds anything.
  static func hasContent(_ path: String) throws(Failure) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) != 0 else { return status.st_size > 0 }
    guard errno == ENOENT || errno == ENOTDIR else { throw Failure("read", path) }
    return false
  }

  /// The directory that a path lies in.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Refuses a directory in which we could not make a file, before anything is made elsewhere.
  static func checkWritable(_ directory: String) throws(Failure) {
    guard unsafe access(directory, W_OK | X_OK) == 0 else { throw Failure("write to the directory", directory) }
  }

  /// Writes a new file; fails when there is one already.
  static func create(_ path: String, mode: mode_t, _ content: Secret) throws(Failure) {
    try write(path, mode: mode, content, O_EXCL)
  }

  /// Writes a file in place of the one that is there.
  static func replace(_ path: String, mode: mode_t, _ content: Secret) throws(Failure) {
    unsafe unlink(path)
    try write(path, mode: mode, content, O_EXCL)
  }

  private static func write(_ path: String, mode: mode_t, _ content: Secret, _ flags: Int32) throws(Failure) {
    let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, mode)
    guard descriptor >= 0 else { throw Failure("create", path) }
    defer { close(descriptor) }
    let bytes = content.revealed
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw Failure("write", path)
    }
    try syncDirectory(of: path)
  }

  /// Makes the name of a new file as durable as its content.
  private static func syncDirectory(of path: String) throws(Failure) {
    let directory = directory(of: path)
    let descriptor = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("open", directory) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure("write", directory) }
  }

  /// Removes a file, if it is there.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Makes a directory that only we can enter, unless it is there.
  static func makeDirectory(_ path: String) throws(Failure) {
    guard unsafe mkdir(path, 0o700) != 0 else { return }
    guard errno == EEXIST else { throw Failure("make the directory", path) }
    try checkPrivate(path)
  }

  /// Refuses what is no directory, or one that others can enter.
  static func checkPrivate(_ path: String) throws(Failure) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw Failure("read", path) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure("\(path): is not a directory (symbolic links are refused)")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Failure("\(path): is open to other users; close it with: chmod 700 '\(path)'")
    }
  }

  /// Takes the lock that lets one process at a time use a data directory; held until the process ends.
  ///
  /// - Returns: Whether it was free.
  static func lock(_ path: String) throws(Failure) -> Bool {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure("open the lock", path) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    close(descriptor)
    return false
  }

  /// Whether somebody watches the standard output.
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
