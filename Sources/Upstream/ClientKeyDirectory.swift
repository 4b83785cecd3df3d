internal import HTTP
internal import HTTPClient
public import JOSE
internal import Synchronization

/// Why the keys of a client cannot be had at the moment; for the log.
public struct ClientKeysUnavailable: Error, CustomStringConvertible {
  public let description: String
}

/// The key sets that client apps publish (`jwks_uri`, RFC 7591 §2), fetched when needed and remembered.
///
/// Each address is asked by one request at a time, and not again within a minute for a key that it did not hold, so that
/// whoever invents key ids or breaks an address costs its client alone something.
public final class ClientKeyDirectory: Sendable {
  private struct Entry {
    let set: ClientKeySet
    let fetchedAt: ContinuousClock.Instant
    let freshUntil: ContinuousClock.Instant
  }

  private struct State {
    var entries: [ClientAddress: Entry] = [:]
    var failures: [ClientAddress: (failure: ClientKeysUnavailable, at: ContinuousClock.Instant)] = [:]
    /// When an address was last asked for the sake of a key that was not there.
    var lookedAgain: [ClientAddress: ContinuousClock.Instant] = [:]
    var underWay: [ClientAddress: Task<ClientKeySet, any Error>] = [:]
  }

  private static let capacity = 1000
  /// How often one address is asked at most for the sake of an unknown key.
  private static let pause = Duration.seconds(60)
  /// How long a failure is the answer to everybody.
  private static let failurePause = Duration.seconds(5)
  /// How long a set is used while its address cannot be reached.
  private static let staleLife = Duration.seconds(24 * 60 * 60)

  private let client: OutboundClient
  private let reach: ClientReach
  private let state = Mutex(State())

  init(client: OutboundClient, reach: ClientReach) {
    self.client = client
    self.reach = reach
  }

  /// The keys at an address, as they were known lately.
  ///
  /// - Throws: ``ClientKeysUnavailable`` when there are none, new or old.
  public func keys(at address: ClientAddress) async throws -> ClientKeySet {
    let now = ContinuousClock.now
    let known = state.withLock { $0.entries[address] }
    if let known, known.freshUntil > now { return known.set }
    do {
      return try await fetch(address, at: now)
    } catch {
      if let known, known.fetchedAt + Self.staleLife > now { return known.set }
      throw error
    }
  }

  /// The keys at an address as they are now, or `nil` when somebody wanted to know that within the last minute.
  public func keysNow(at address: ClientAddress) async throws -> ClientKeySet? {
    let now = ContinuousClock.now
    let isAllowed = state.withLock { state in
      if let last = state.lookedAgain[address], last + Self.pause > now { return false }
      if state.lookedAgain.count >= Self.capacity {
        state.lookedAgain = state.lookedAgain.filter { $0.value + Self.pause > now }
      }
      state.lookedAgain[address] = now
      return true
    }
    return isAllowed ? try await fetch(address, at: now) : nil
  }

  private func fetch(_ address: ClientAddress, at now: ContinuousClock.Instant) async throws -> ClientKeySet {
    let task = try state.withLock { state in
      if let task = state.underWay[address] { return task }
      if let last = state.failures[address], last.at + Self.failurePause > now { throw last.failure }
      let task = Task<ClientKeySet, any Error> { try await ask(address) }
      state.underWay[address] = task
      return task
    }
    return try await task.value
  }

  private func ask(_ address: ClientAddress) async throws -> ClientKeySet {
    let result: Result<(ClientKeySet, Duration), ClientKeysUnavailable>
    do { result = .success(try await answer(of: address)) } catch { result = .failure(error) }
    let now = ContinuousClock.now
    state.withLock { state in
      state.underWay[address] = nil
      if state.entries.count + state.failures.count >= Self.capacity { (state.entries, state.failures) = ([:], [:]) }
      switch result {
      case .success((let set, let lifetime)):
        state.failures[address] = nil
        state.entries[address] = Entry(set: set, fetchedAt: now, freshUntil: now + lifetime)
      case .failure(let failure): state.failures[address] = (failure, now)
      }
    }
    return try result.get().0
  }

  private func answer(
    of address: ClientAddress
  ) async throws(ClientKeysUnavailable) -> (ClientKeySet, Duration) {
    guard let target = try? OutboundURL(address.url) else { throw ClientKeysUnavailable(description: "It is no URL.") }
    var request = OutboundRequest(
      .get, address.url, headers: ["accept": "application/json"], reach: reach.reach(of: target, for: address))
    request.limits = OutboundLimits(total: .seconds(5), body: JWKSet.sizeLimit)
    let answer: OutboundResponse
    do { answer = try await client.send(request) } catch {
      throw ClientKeysUnavailable(description: "It cannot be reached: \(error)")
    }
    guard answer.status == .ok else { throw ClientKeysUnavailable(description: "It answers \(answer.status.code).") }
    do {
      return (try ClientKeySet(parsing: answer.body), CacheLifetime.of(answer.headers["cache-control"]))
    } catch {
      throw ClientKeysUnavailable(description: "Its answer is no JWK set.")
    }
  }
}
