import Glibc

/// Runs command lines, for the tools of OpenSSL.
enum Shell {
  /// What the command wrote, errors included.
  static func run(_ command: String) -> String {
    guard let pipe = unsafe popen("{ \(command) ; } 2>&1", "r") else { return "" }
    defer { unsafe pclose(pipe) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, pipe)
      guard count > 0 else { return String(decoding: output, as: UTF8.self) }
      output.append(contentsOf: buffer[..<count])
    }
  }
}

/// A directory that goes away with its owner.
final class TemporaryDirectory {
  let path: String

  init() {
    var template = Array("/tmp/gatehouse-test-XXXXXX".utf8CString)
    path = unsafe mkdtemp(&template) != nil ? String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self) : ""
  }

  deinit { _ = Shell.run("rm -rf '\(path)'") }

  func write(_ text: String, to name: String) { _ = Shell.run("printf %s '\(text)' > '\(path)/\(name)'") }
}
