import Domain
import Storage
import Synchronization

/// How often API keys are used: what was written down, and what has come since.
///
/// Written down every second, so that a crash loses a second of counts at most.
final class CountedUses: Sendable {
  private static let minute: Int64 = 60
  private static let secondsOfDay: Int64 = 86_400
  private static let batchSize = 200

  private struct Tally {
    /// Calls of `day` that are written down.
    var written: Int64
    var use: APIKeyUse
    /// That are being written down.
    var underWay: Int64 = 0
    var minute: Int64 = 0
    var callsOfMinute: Int64 = 0

    var callsOfDay: Int64 { written + underWay + use.calls }

    /// Counts a call with the secret of a slot, or a refusal, which is given back.
    mutating func take(_ limits: APIKeyLimits, _ slot: Int64, at now: Timestamp) -> Refusal? {
      let current = now.seconds / CountedUses.minute
      if minute != current { (minute, callsOfMinute) = (current, 0) }
      if let refusal = CountedUses.refusal(self, limits, at: now) {
        use.refusals += 1
        return refusal
      }
      callsOfMinute += 1
      use.calls += 1
      use.lastUses[slot] = now
      return nil
    }
  }

  private let tallies = Mutex<[APIKeyID: Tally]>([:])

  /// Counts a call of a key, unless it has had as many as it may.
  ///
  /// - Throws: `Refusal` `slow_down`, with the seconds to wait.
  func count(_ proven: ProvenAPIKey, at now: Timestamp, _ here: Installation) async throws {
    if countIfFree(proven, at: now) { return }
    let (id, day) = (proven.key.id, APIKeyUse.day(of: now))
    if tallies.withLock({ $0[id]?.use.day != day }) { try await begin(day, of: id, here) }
    let refusal = tallies.withLock { tallies -> Refusal? in
      guard let index = tallies.index(forKey: id) else { return nil }
      return tallies.values[index].take(proven.key.limits, proven.slot.number, at: now)
    }
    if let refusal { throw refusal }
  }

  /// Counts a call where nothing has to be read for it and the key may be used; whether it did.
  func countIfFree(_ proven: ProvenAPIKey, at now: Timestamp) -> Bool {
    tallies.withLock { tallies in
      guard let index = tallies.index(forKey: proven.key.id), tallies.values[index].use.day == APIKeyUse.day(of: now),
        Self.refusal(tallies.values[index], proven.key.limits, at: now) == nil
      else { return false }
      return tallies.values[index].take(proven.key.limits, proven.slot.number, at: now) == nil
    }
  }

  /// Why the next call of `key` would be refused, without counting one; `nil` when it may be made.
  func refusal(of key: ClientAPIKey, at now: Timestamp, _ here: Installation) async throws -> Refusal? {
    guard key.limits.perMinute != nil || key.limits.perDay != nil else { return nil }
    let day = APIKeyUse.day(of: now)
    if tallies.withLock({ $0[key.id]?.use.day != day }) { try await begin(day, of: key.id, here) }
    return tallies.withLock { $0[key.id].flatMap { Self.refusal($0, key.limits, at: now) } }
  }

  /// Counts a refusal of somebody who has the secret.
  func countRefusal(_ id: APIKeyID, at now: Timestamp, _ here: Installation) async throws {
    let day = APIKeyUse.day(of: now)
    if tallies.withLock({ $0[id]?.use.day != day }) { try await begin(day, of: id, here) }
    tallies.withLock { $0[id]?.use.refusals += 1 }
  }

  /// Writes down what has come since the last call.
  func write(_ here: Installation) async throws {
    let uses = tallies.withLock { tallies in
      tallies.keys.compactMap { id -> APIKeyUse? in
        guard let use = tallies[id]?.use, use.calls > 0 || use.refusals > 0 else { return nil }
        tallies[id]?.underWay += use.calls
        tallies[id]?.use = APIKeyUse(key: id, day: use.day)
        return use
      }
    }
    var rest = uses[...]
    // A few at a time, so that no sign-in waits behind a long transaction.
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Self.batchSize))
      do { try await here.store.add(batch) } catch {
        for use in rest { settle(use, isWritten: false) }
        throw error
      }
      for use in batch { settle(use, isWritten: true) }
      rest = rest.dropFirst(Self.batchSize)
    }
  }

  private func settle(_ use: APIKeyUse, isWritten: Bool) {
    tallies.withLock { tallies in
      guard var tally = tallies[use.key], tally.use.day == use.day else { return }
      tally.underWay -= use.calls
      if isWritten {
        tally.written += use.calls
      } else {
        tally.use.calls += use.calls
        tally.use.refusals += use.refusals
        tally.use.lastUses.merge(use.lastUses) { max($0, $1) }
      }
      tallies[use.key] = tally
    }
  }

  /// Begins a day with what is written down of it, once what the day before had is written, too.
  private func begin(_ day: Int64, of id: APIKeyID, _ here: Installation) async throws {
    if tallies.withLock({ $0[id] != nil }) { try await write(here) }
    let written = try await here.store.read { try $0.uses(of: id, from: day) }.first?.calls ?? 0
    tallies.withLock { tallies in
      guard tallies[id]?.use.day != day else { return }
      tallies[id] = Tally(written: written, use: APIKeyUse(key: id, day: day))
    }
  }

  private static func refusal(_ tally: Tally, _ limits: APIKeyLimits, at now: Timestamp) -> Refusal? {
    let minute = now.seconds / Self.minute
    if let most = limits.perMinute, tally.minute == minute, tally.callsOfMinute >= most {
      return refusal(most, "minute", until: (minute + 1) * Self.minute, at: now)
    }
    if let most = limits.perDay, tally.callsOfDay >= most {
      return refusal(most, "day", until: (APIKeyUse.day(of: now) + 1) * secondsOfDay, at: now)
    }
    return nil
  }

  private static func refusal(_ most: Int64, _ span: String, until end: Int64, at now: Timestamp) -> Refusal {
    Refusal(
      .slowDown, "The API key may be used \(most) times a \(span). Ask again later.",
      retryAfter: max(end - now.seconds, 1))
  }
}
