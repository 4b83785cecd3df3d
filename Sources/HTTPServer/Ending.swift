import HTTP

/// Why a connection's task ends before its next answer.
enum Ending: Error {
  /// Nobody is there to be told: the client left, or nothing was begun.
  case gone
  /// The client is told why, and then the connection closes.
  case refused(ParseFailure)
  /// The connection stays open and waits without a task, which the loop begins anew when there is something to do.
  case parked

  static let tooSlow = Ending.refused(ParseFailure(408, "request not complete in time"))
}
