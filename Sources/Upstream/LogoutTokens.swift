public import Domain
internal import JOSE
internal import Synchronization

/// Why a logout token of an upstream is not believed.
public enum LogoutTokenRefusal: Error, Equatable {
  /// Which check failed, in words that stand behind “was refused:”; always one of a few fixed texts.
  case invalid(String)
  /// The provider's keys are not known, and cannot be fetched at the moment.
  case keysUnavailable
  /// It names a key that is not known, and the provider was asked within the last minute: it may be a new one.
  case keysAskedLately
}

extension OIDC {
  /// What a logout token says, if the provider signed it for us (OpenID Connect Back-Channel Logout §2.6).
  ///
  /// Anybody can send one, so that the provider is asked at most once a minute for the sake of such tokens.
  public func readLogoutToken(
    _ token: String, at connection: Connection, now: Timestamp
  ) async throws(LogoutTokenRefusal) -> UpstreamLogout {
    let known = try await providers.sightForStrangers(of: connection)
    do throws(LogoutTokenFailure) { return try known.logout(token, connection, now) } catch {
      guard error.mayBeOfNewKey else { throw .invalid(error.words) }
      guard let newer = try await providers.newSightForStrangers(of: connection) else {
        throw error == .signature(.unknownKey) ? .keysAskedLately : .invalid(error.words)
      }
      do throws(LogoutTokenFailure) { return try newer.logout(token, connection, now) } catch {
        throw .invalid(error.words)
      }
    }
  }
}

extension LogoutTokenFailure {
  /// Whether the issuer may have changed its keys a moment ago.
  fileprivate var mayBeOfNewKey: Bool { self == .signature(.unknownKey) || self == .signature(.badSignature) }
}

/// What is remembered of a provider: what it says of itself, and its keys.
struct ProviderSight: Sendable {
  let metadata: ProviderMetadata
  let keys: JWKSet
  /// Whether neither is due to be fetched again.
  let isFresh: Bool

  fileprivate func logout(
    _ token: String, _ connection: Connection, _ now: Timestamp
  ) throws(LogoutTokenFailure) -> UpstreamLogout {
    let quirks = connection.provider.quirks
    guard let issuer = try? metadata.issuer(of: Secret(token), quirks) else { throw .issuer }
    let rule = LogoutTokenRule(
      issuer: issuer, clientID: connection.clientID, algorithms: metadata.knownAlgorithms,
      longestSessionID: UpstreamLogout.longestSessionID, mayLackExpiry: quirks.omitsLogoutExpiry)
    let accepted = try rule.check(token, keys: keys, now: now.seconds)
    return UpstreamLogout(
      connection: connection.id, issuer: issuer, subject: accepted.subject, sessionID: accepted.sessionID,
      tokenID: accepted.tokenID, believedUntil: Timestamp(seconds: accepted.believedUntil))
  }
}

extension ProviderDirectory {
  /// What is known of a provider, fetched again when it is due; an old set when that fails.
  fileprivate func sightForStrangers(of connection: Connection) async throws(LogoutTokenRefusal) -> ProviderSight {
    if let known = sight(of: connection), known.isFresh { return known }
    _ = await look(at: connection)
    guard let known = sight(of: connection) else { throw .keysUnavailable }
    return known
  }

  /// What the provider says now; `nil` when it was asked within the last minute.
  fileprivate func newSightForStrangers(
    of connection: Connection
  ) async throws(LogoutTokenRefusal) -> ProviderSight? {
    guard let isAnswered = await look(at: connection) else { return nil }
    guard isAnswered else { throw .keysUnavailable }
    return sight(of: connection)
  }

  /// Asks the provider, and gives whether it answered; `nil` when it was asked within the last minute.
  private func look(at connection: Connection) async -> Bool? {
    await looks.once(Key(connection)) {
      do {
        _ = try await keys.fetch(try await metadata(of: connection), connection)
        return true
      } catch { return false }
    }
  }
}

/// Asks each provider once a minute at most; who comes while it is being asked waits for the same answer.
final class ProviderLooks: Sendable {
  private struct Look {
    let begunAt: ContinuousClock.Instant
    /// Whether the provider answered; `nil` when that is over.
    var underWay: Task<Bool, Never>?
  }

  private static let pause = Duration.seconds(60)
  private static let capacity = 1000

  private let looks = Mutex<[ProviderDirectory.Key: Look]>([:])

  /// What `ask` says, or `nil` when it was asked within the last minute.
  func once(_ key: ProviderDirectory.Key, _ ask: @escaping @Sendable () async -> Bool) async -> Bool? {
    let task: Task<Bool, Never>? = looks.withLock { looks in
      let now = ContinuousClock.now
      if let last = looks[key], last.begunAt + Self.pause > now { return last.underWay }
      if looks.count >= Self.capacity { looks = looks.filter { $0.value.begunAt + Self.pause > now } }
      let task = Task {
        let isAnswered = await ask()
        self.looks.withLock { $0[key]?.underWay = nil }
        return isAnswered
      }
      looks[key] = Look(begunAt: now, underWay: task)
      return task
    }
    return await task?.value
  }
}
