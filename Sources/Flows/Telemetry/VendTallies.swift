import Crypto
import Domain
import Storage
import Synchronization

/// How much was vended, and refused, since this was last written down.
///
/// Counted in memory and written down more often than every second, so that nobody waits for it and a crash loses a
/// second of counts at most; the audit rows of the same vends are durable before anybody is answered.
final class VendTallies: Sendable {
  private static let batchSize = 200
  /// So many are told apart on one day.
  ///
  /// Beyond it, first resources and then accounts are not told apart any more, so that nobody can fill the database with
  /// paths.
  private static let mostUses = 5_000

  private struct Place: Hashable {
    let use: VendUse
    let day: Int64
  }

  private struct State {
    var day: Int64 = 0
    /// What was counted on ``day``.
    var known: Set<VendUse> = []
    var counts: [Place: UsageCount] = [:]

    /// The use as it is counted.
    mutating func told(_ use: VendUse, on day: Int64) -> VendUse {
      if day != self.day { (self.day, known) = (day, []) }
      if known.contains(use) { return use }
      if known.count >= mostUses {
        let coarser = use.coarser(keepsAccount: true)
        guard known.count >= 2 * mostUses, !known.contains(coarser) else { return remembered(coarser) }
        return remembered(use.coarser(keepsAccount: false))
      }
      return remembered(use)
    }

    private mutating func remembered(_ use: VendUse) -> VendUse {
      known.insert(use)
      return use
    }
  }

  private let state = Mutex(State())

  func count(_ use: VendUse, _ outcome: AuditEvent.Outcome, at now: Timestamp) {
    let day = VendUse.day(of: now)
    let one = outcome == .success ? UsageCount(calls: 1) : UsageCount(refusals: 1)
    state.withLock { state in
      // What came a moment ago comes again most of the time: it is looked up once and changed in its place.
      if let known = state.counts.index(forKey: Place(use: use, day: day)) {
        state.counts.values[known] = state.counts.values[known] + one
        return
      }
      let place = Place(use: state.told(use, on: day), day: day)
      state.counts[place] = (state.counts[place] ?? UsageCount()) + one
    }
  }

  /// Writes down what has come since the last call.
  func write(_ here: Installation) async throws {
    let taken = state.withLock { state in
      defer { state.counts = [:] }
      return state.counts
    }
    var rest = taken.map { place, count in
      CountedVends(
        id: Self.id(of: place.use), use: place.use, day: place.day, calls: count.calls, refusals: count.refusals)
    }[...]
    // A few at a time, so that no sign-in waits behind a long transaction.
    while !rest.isEmpty {
      do { try await here.store.add(Array(rest.prefix(Self.batchSize))) } catch {
        putBack(rest)
        throw error
      }
      rest = rest.dropFirst(Self.batchSize)
    }
  }

  private func putBack(_ counted: ArraySlice<CountedVends>) {
    state.withLock { state in
      for one in counted {
        let place = Place(use: one.use, day: one.day)
        let count = UsageCount(calls: one.calls, refusals: one.refusals)
        state.counts[place] = (state.counts[place] ?? UsageCount()) + count
      }
    }
  }

  /// The beginning of a hash: a use has the same id in every run.
  private static func id(of use: VendUse) -> Int64 {
    let parts = [
      use.client.text, use.key?.text ?? "", use.connection?.text ?? "", use.account?.text ?? "", use.resource ?? "",
    ]
    let hash = SHA256.hash(parts.joined(separator: "\n"))
    return Int64(bitPattern: hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) & .max
  }
}

extension Installation {
  /// Writes down a vend or its refusal, and counts it.
  ///
  /// `owner` is whose credential it took; whoever asked for one where none was taken.
  func recordVend(_ event: AuditEvent, of owner: AccountID?, for resource: ResourceURL?, by key: ClientAPIKey?)
    async throws
  {
    guard let client = event.client else { return try await record(event) }
    if event.outcome == .success, let connection = event.connection, let owner {
      try await recordUse(event, KnownUses.Use(account: owner, client: client, connection: connection))
    } else {
      try await record(event)
    }
    let use = VendUse(
      client: client, key: key?.id, connection: event.connection, account: owner ?? Account.service,
      resource: event.connection == nil ? nil : resource?.service)
    vendTallies.count(use, event.outcome, at: event.at)
  }

  /// Counts that a key was refused before it could ask for anything.
  func countRefusal(of key: ClientAPIKey, at now: Timestamp) {
    let use = VendUse(client: key.client, key: key.id, connection: nil, account: Account.service, resource: nil)
    vendTallies.count(use, .failure, at: now)
  }
}
