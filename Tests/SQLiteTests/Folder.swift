import Glibc
import SQLite

/// A directory of its own for one test, removed with this object.
final class Folder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/gatehouse-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    for name in (try? names()) ?? [] { unsafe _ = unlink(path + "/" + name) }
    unsafe _ = rmdir(path)
  }

  var database: String { path + "/gatehouse.db" }

  func names() throws -> [String] {
    guard let directory = unsafe opendir(path) else { throw Failure(code: errno) }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The bytes of all files of the database (main file, log, index), one after the other.
  func databaseBytes() throws -> [UInt8] {
    try names().filter { $0.hasPrefix("gatehouse.db") }.flatMap { try bytes($0) }
  }

  func bytes(_ name: String) throws -> [UInt8] {
    let file = unsafe open(path + "/" + name, O_RDONLY)
    guard file >= 0 else { throw Failure(code: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(file, &chunk, chunk.count)
      guard count >= 0 else { throw Failure(code: errno) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// Writes a file with mode 0600.
  func write(_ bytes: [UInt8], to name: String) throws {
    let file = unsafe open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw Failure(code: errno) }
    defer { close(file) }
    guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else { throw Failure(code: errno) }
  }

  func mode(_ name: String) throws -> mode_t {
    var found = stat()
    guard unsafe lstat(path + "/" + name, &found) == 0 else { throw Failure(code: errno) }
    return found.st_mode & 0o777
  }

  func setMode(_ mode: mode_t, of name: String) throws {
    guard unsafe chmod(path + "/" + name, mode) == 0 else { throw Failure(code: errno) }
  }

  func link(_ name: String, to target: String) throws {
    guard unsafe symlink(target, path + "/" + name) == 0 else { throw Failure(code: errno) }
  }

  struct Failure: Error { let code: Int32 }
}
