internal import Synchronization

/// A small table in memory whose oldest entry makes room for a new one.
///
/// Times are those of a clock that cannot be set, so a jump of the wall clock neither empties nor preserves it.
final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    let value: Value
    let storedAt: ContinuousClock.Instant
  }

  private let capacity: Int
  private let entries = Mutex<[Key: Entry]>([:])

  init(capacity: Int) { self.capacity = capacity }

  /// The value stored for `key` less than `age` before `now`.
  func value(for key: Key, youngerThan age: Duration, at now: ContinuousClock.Instant) -> Value? {
    entries.withLock { entries in
      guard let entry = entries[key], entry.storedAt.duration(to: now) < age else { return nil }
      return entry.value
    }
  }

  func store(_ value: Value, for key: Key, at now: ContinuousClock.Instant) {
    entries.withLock { entries in
      if entries[key] == nil, entries.count >= capacity,
        let oldest = entries.min(by: { $0.value.storedAt < $1.value.storedAt })
      {
        entries[oldest.key] = nil
      }
      entries[key] = Entry(value: value, storedAt: now)
    }
  }
}
