import CLinux
import Glibc

/// What the process does to itself before anything else runs.
enum Process {
  /// Forgets variables by which the environment could redirect or expose secrets, before the first thread reads them.
  static func cleanEnvironment() {
    for (name, _) in environment {
      let isDangerous =
        name.hasPrefix("KRB5") || name.hasPrefix("OPENSSL_") || name.lowercased().hasSuffix("_proxy")
        || ["SSLKEYLOGFILE", "NETRC", "CURL_HOME", "HOSTALIASES"].contains(name)
      if isDangerous { unsafe unsetenv(name) }
    }
  }

  /// The running program itself, also after another version took its place on the disk.
  static let ownProgram = "/proc/self/exe"

  /// Fills standard streams that came closed, so that no file opened later takes their place and gets our messages.
  ///
  /// Nothing can be written to what fills them, so that an answer that nobody gets is still a failure.
  static func holdStandardStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      unsafe _ = open("/dev/null", O_RDONLY)
    }
  }

  /// Keeps secrets out of core dumps and away from other processes of the same user.
  static func forbidDumps() {
    #if !DEBUG
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      linux_forbid_dumps()
    #endif
  }

  /// The environment variables by name.
  static var environment: [String: String] {
    var found: [String: String] = [:]
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let parts = unsafe String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
      unsafe next += 1
    }
    return found
  }

  /// Seconds since 1970 by the machine's clock.
  static func wallClock() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec)
  }

  /// Why the last call of the system failed.
  static var systemError: String { unsafe String(cString: strerror(errno)) }

  /// Returns whether everything was written.
  @discardableResult
  static func print(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

  static func printError(_ text: String) { write(text, to: STDERR_FILENO) }

  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array((text + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent)
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }
}
