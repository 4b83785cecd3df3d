import Glibc

/// A place where a test lets the process die, to prove that the next start finds a legal state.
///
/// Set `GATEHOUSE_FAILPOINT` to a name; only debug builds look.
enum Failpoint: String, CaseIterable {
  case refreshIntended = "refresh.intended"
  case refreshAnswered = "refresh.answered"
  case refreshRecorded = "refresh.recorded"
  case refreshApplied = "refresh.applied"
  case signOutClosed = "signout.closed"
  case signOutRevoked = "signout.revoked"
  case signOutDeleted = "signout.deleted"
  case signInRedeemed = "signin.redeemed"

  /// Ends the process at once, without any clean-up, when this is the place that was named.
  func reach() {
    #if DEBUG
      if unsafe getenv("GATEHOUSE_FAILPOINT").map({ unsafe String(cString: $0) }) == rawValue { _exit(86) }
    #endif
  }
}
