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
    var entries: [String: Entry] = [:]
    var failures: [String: (failure: ClientKeysUnavailable, at: ContinuousClock.Instant)] = [:]
    /// When an address was last asked for the sake of a key that was not there.
    var lookedAgain: [String: ContinuousClock.Instant] = [:]
    var underWay: [String: Task<ClientKeySet, any Error>] = [:]
  }

  private static let capacity = 1000
  /// How often one address is asked at most for the sake of an unknown key.
  private static let pause = Duration.seconds(60)
  /// How long a failure is the answer to everybody.
  private static let failurePause = Duration.seconds(5)
  /// How long a set is used while its address cannot be reached.
  private static let staleLife = Duration.seconds(24 * 60 * 60)

  private let client: OutboundClient
  private let state = Mutex(State())

  init(client: OutboundClient) { self.client = client }

  /// The keys at an address, as they were known lately.
  ///
  /// - Throws: ``ClientKeysUnavailable`` when there are none, new or old.
  public func keys(at url: String) async throws -> ClientKeySet {
    let now = ContinuousClock.now
    let known = state.withLock { $0.entries[url] }
    if let known, known.freshUntil > now { return known.set }
    do {
      return try await fetch(url, at: now)
    } catch {
      if let known, known.fetchedAt + Self.staleLife > now { return known.set }
      throw error
    }
  }

  /// The keys at an address as they are now, or `nil` when somebody wanted to know that within the last minute.
  public func keysNow(at url: String) async throws -> ClientKeySet? {
    let now = ContinuousClock.now
    let isAllowed = state.withLock { state in
      if let last = state.lookedAgain[url], last + Self.pause > now { return false }
      if state.lookedAgain.count >= Self.capacity {
        state.lookedAgain = state.lookedAgain.filter { $0.value + Self.pause > now }
      }
      state.lookedAgain[url] = now
      return true
    }
    return isAllowed ? try await fetch(url, at: now) : nil
  }

  private func fetch(_ url: String, at now: ContinuousClock.Instant) async throws -> ClientKeySet {
    let task = try state.withLock { state in
      if let task = state.underWay[url] { return task }
      if let last = state.failures[url], last.at + Self.failurePause > now { throw last.failure }
      let task = Task<ClientKeySet, any Error> { try await ask(url) }
      state.underWay[url] = task
      return task
    }
    return try await task.value
  }

  private func ask(_ url: String) async throws -> ClientKeySet {
    let result: Result<(ClientKeySet, Duration), ClientKeysUnavailable>
    do { result = .success(try await answer(of: url)) } catch { result = .failure(error) }
    let now = ContinuousClock.now
    state.withLock { state in
      state.underWay[url] = nil
      if state.entries.count + state.failures.count >= Self.capacity { (state.entries, state.failures) = ([:], [:]) }
      switch result {
      case .success((let set, let lifetime)):
        state.failures[url] = nil
        state.entries[url] = Entry(set: set, fetchedAt: now, freshUntil: now + lifetime)
      case .failure(let failure): state.failures[url] = (failure, now)
      }
    }
    return try result.get().0
  }

  private func answer(of url: String) async throws(ClientKeysUnavailable) -> (ClientKeySet, Duration) {
    guard let target = try? OutboundURL(url) else { throw ClientKeysUnavailable(description: "It is no URL.") }
    var request = OutboundRequest(
      .get, url, headers: ["accept": "application/json"], reach: ClientAddress.reach(of: target))
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
