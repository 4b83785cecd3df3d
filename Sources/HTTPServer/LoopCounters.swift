import Logging

/// What one loop has done; each loop counts for itself, so that counting is never a contest between cores.
final class LoopCounters: Sendable {
  let accepted = Counter()
  let shed = Counter()
  let requests = Counter()
  let refused = Counter()
  let timedOut = Counter()
  let parked = Gauge()
}

/// What a server has done since its start.
public struct ServerFigures: Sendable, Equatable {
  /// Connections that are open now.
  public var open = 0
  /// Open connections that wait for a request without a task.
  public var parked = 0
  /// Connections that were admitted.
  public var accepted = 0
  /// Connections that were turned away because a limit was reached.
  public var shed = 0
  /// Requests that reached the handler.
  public var requests = 0
  /// Requests that were refused before the handler: malformed or too large.
  public var refused = 0
  /// Requests that did not arrive in time.
  public var timedOut = 0

  mutating func add(_ counters: LoopCounters) {
    accepted += counters.accepted.value
    shed += counters.shed.value
    requests += counters.requests.value
    refused += counters.refused.value
    timedOut += counters.timedOut.value
    parked += counters.parked.value
  }
}
