import Glibc

/// What the system says about its last refusal on this thread.
enum SystemError {
  static var text: String { unsafe String(cString: strerror(errno)) }
}
