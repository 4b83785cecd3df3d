import Glibc

/// A directory or file that cannot be read, in a sentence that names it and says why.
public struct FileFailure: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String
}

/// Reads the regular files of a directory and those below it.
public enum Directory {
  /// The files with their paths relative to `root`, in order; names that begin with a dot and links are left out.
  ///
  /// - Throws: ``FileFailure`` when the directory or a file cannot be read.
  public static func files(in root: String) throws(FileFailure) -> [(name: String, bytes: [UInt8])] {
    var found: [(name: String, bytes: [UInt8])] = []
    try visit(root, prefix: "", into: &found)
    return found
  }

  private static func visit(
    _ path: String, prefix: String, into found: inout [(name: String, bytes: [UInt8])]
  ) throws(FileFailure) {
    for name in try names(in: path) where !name.hasPrefix(".") {
      let child = "\(path)/\(name)"
      var status = stat()
      guard unsafe lstat(child, &status) == 0 else { throw failure(child) }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try visit(child, prefix: "\(prefix)\(name)/", into: &found)
      case S_IFREG: found.append((prefix + name, try bytes(of: child, size: status.st_size)))
      default: break
      }
    }
  }

  private static func names(in path: String) throws(FileFailure) -> [String] {
    guard let directory = unsafe opendir(path) else { throw failure(path) }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe names.append(String(cString: $0)) }
      }
    }
    return names.sorted()
  }

  private static func bytes(of path: String, size: Int) throws(FileFailure) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size {
      let more = unsafe bytes.withUnsafeMutableBytes {
        let free = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[count...])
        return unsafe read(descriptor, free.baseAddress, free.count)
      }
      guard more > 0 else { throw failure(path) }
      count += more
    }
    return bytes
  }

  private static func failure(_ path: String) -> FileFailure {
    FileFailure(description: unsafe "\(path) cannot be read: \(String(cString: strerror(errno)))")
  }
}
