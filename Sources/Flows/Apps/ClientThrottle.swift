import Domain
import Synchronization

/// Slows down guessing of client secrets, and counts failures for a summary in the audit log.
///
/// After ten failures in a row for one client from one network, each further try there has to wait; other networks are
/// not affected. Ids of no client share one place, so that inventing them costs no memory.
final class ClientThrottle: Sendable {
  static let freeTries: Int64 = 10
  /// In seconds.
  static let longestDelay: Int64 = 60
  /// Seconds after which failures are forgotten.
  private static let memory: Int64 = 15 * 60
  private static let capacity = 10_000

  private struct Key: Hashable {
    let client: ClientID?
    let network: String
  }

  private struct Failures {
    var count: Int64
    var lastAt: Timestamp
    var blockedUntil: Timestamp
  }

  private struct State {
    var failures: [Key: Failures] = [:]
    /// How often each client failed since the last summary.
    var counts: [ClientID?: Int64] = [:]
  }

  private let state = Mutex(State())

  /// Seconds to wait before the next try, or `nil` when it may be made now.
  func delay(for client: ClientID?, _ visitor: Visitor, at now: Timestamp) -> Int64? {
    state.withLock { state in
      if state.failures.isEmpty { return nil }
      let found = state.failures[Key(client: client, network: visitor.network)]
      return found.flatMap { $0.blockedUntil > now ? $0.blockedUntil - now : nil }
    }
  }

  /// Counts a failure.
  func fail(_ client: ClientID?, _ visitor: Visitor, at now: Timestamp) {
    state.withLock { state in
      state.counts[client, default: 0] += 1
      Self.makeRoom(&state.failures, at: now)
      let key = Key(client: client, network: visitor.network)
      let before = state.failures[key].flatMap { now - $0.lastAt < Self.memory ? $0.count : nil } ?? 0
      let over = min(before + 1 - Self.freeTries, 10)
      let delay = over >= 0 ? min(1 << over, Self.longestDelay) : 0
      state.failures[key] = Failures(count: before + 1, lastAt: now, blockedUntil: now + delay)
    }
  }

  /// Forgets the failures after a success.
  func succeed(_ client: ClientID, _ visitor: Visitor) {
    state.withLock { state in
      if state.failures.isEmpty { return }
      state.failures[Key(client: client, network: visitor.network)] = nil
    }
  }

  /// The failures since the last call, by client; `nil` stands for ids that no client has.
  func takeCounts() -> [ClientID?: Int64] {
    state.withLock { state in
      defer { state.counts = [:] }
      return state.counts
    }
  }

  /// Puts back counts that could not be written down.
  func putBack(_ counts: [ClientID?: Int64]) {
    state.withLock { $0.counts.merge(counts, uniquingKeysWith: +) }
  }

  private static func makeRoom(_ failures: inout [Key: Failures], at now: Timestamp) {
    guard failures.count >= capacity else { return }
    failures = failures.filter { now - $0.value.lastAt < memory }
    if failures.count >= capacity { failures.removeAll() }
  }
}
