internal import CLinux
import Glibc

/// A child process that inherits nothing but one socket as its standard input and output.
@safe struct ContainedProcess: ~Copyable {
  enum End: Equatable {
    case whole
    /// It used up its processor time, or was stopped because it did not end.
    case tookTooLong
    case failed
  }

  private let process: pid_t
  private let socket: Int32

  /// Starts `program`, without any environment; `nil` when the system gives no process.
  init?(_ program: String, _ words: [String]) {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
    let started = Self.start(program, words, pair[1])
    close(pair[1])
    guard let started else {
      close(pair[0])
      return nil
    }
    (process, socket) = (started, pair[0])
  }

  private static func start(_ program: String, _ words: [String], _ stream: Int32) -> pid_t? {
    var files = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    guard unsafe posix_spawn_file_actions_init(&files) == 0, unsafe posix_spawnattr_init(&attributes) == 0 else {
      return nil
    }
    defer {
      unsafe posix_spawn_file_actions_destroy(&files)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for standard in [STDIN_FILENO, STDOUT_FILENO] {
      unsafe posix_spawn_file_actions_adddup2(&files, stream, standard)
    }
    unsafe posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1)
    var (none, usual) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&none)
    unsafe sigfillset(&usual)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments = unsafe ([program] + words).map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, program, &files, &attributes, &arguments, &environment)
    return code == 0 ? process : nil
  }

  /// Sends `question` and returns what comes until the other side closes, the limit or the time is reached.
  func exchange(_ question: [UInt8], atMost limit: Int, within seconds: Int64) -> [UInt8] {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var sent = 0
    while sent < question.count, wait(for: POLLOUT, until: deadline) {
      let count = unsafe question.withUnsafeBytes { bytes in
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return unsafe send(socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
      }
      if count <= 0 { break }
      sent += count
    }
    shutdown(socket, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    while answer.count < limit, wait(for: POLLIN, until: deadline) {
      let count = unsafe recv(socket, &piece, piece.count, 0)
      guard count > 0 else { break }
      answer += piece.prefix(count)
    }
    unsafe explicit_bzero(&piece, piece.count)
    return answer
  }

  private func wait(for event: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let left = deadline - .now
      guard left > .zero else { return false }
      var watched = pollfd(fd: socket, events: Int16(event), revents: 0)
      let code = unsafe poll(&watched, 1, Int32(left.components.seconds * 1000 + 1))
      if code > 0 { return true }
      if code < 0 && errno != EINTR { return false }
    }
  }

  /// Stops it if it still runs, and tells how it ended.
  consuming func end() -> End {
    close(socket)
    var status: Int32 = 0
    // What has answered is about to end; what has not, does not.
    var hasEnded = false
    for _ in 0..<100 where !hasEnded {
      hasEnded = unsafe waitpid(process, &status, WNOHANG) == process
      if !hasEnded { usleep(2_000) }
    }
    if !hasEnded {
      kill(process, SIGKILL)
      while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
      return .tookTooLong
    }
    let signal = status & 0x7F
    if signal == 0 { return (status >> 8) & 0xFF == 0 ? .whole : .failed }
    return signal == SIGXCPU || signal == SIGKILL ? .tookTooLong : .failed
  }

  // MARK: In the child

  /// Takes from this process all but so much processor time and memory, and core dumps.
  static func limitSelf(seconds: UInt, megabytes: UInt) {
    func limit(_ resource: __rlimit_resource, _ most: UInt) {
      var value = rlimit(rlim_cur: most, rlim_max: most)
      unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &value)
    }
    limit(RLIMIT_CORE, 0)
    limit(RLIMIT_CPU, seconds)
    limit(RLIMIT_DATA, megabytes << 20)
    linux_forbid_dumps()
  }

  /// Everything up to the end, but one byte more than `limit` at most.
  static func readAll(_ descriptor: Int32, atMost limit: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if got < 0 && errno == EINTR { continue }
      if got <= 0 { break }
      count += got
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe write(descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent)
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }
}
