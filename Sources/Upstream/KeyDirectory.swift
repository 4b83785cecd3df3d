internal import Domain
internal import HTTP
internal import JOSE

/// The keys that OpenID providers sign with, fetched when needed and remembered.
struct KeyDirectory: Sendable {
  /// A fetched set, and until when it need not be fetched again.
  private struct Entry {
    let set: JWKSet
    let freshUntil: ContinuousClock.Instant
  }

  private struct UnknownKey: Hashable {
    let provider: ProviderDirectory.Key
    let keyID: String?
  }

  /// For how long a key that a fresh set did not hold is not asked for again.
  static let unknownKeyLifetime: Duration = .seconds(60)

  let dialer: Dialer
  private let sets = BoundedCache<ProviderDirectory.Key, Entry>(capacity: 1000)
  private let unknownKeys = BoundedCache<UnknownKey, Bool>(capacity: 1000)

  init(dialer: Dialer) { self.dialer = dialer }

  /// The claims of an ID token that keeps to `rule`, whatever the provider has done to its keys meanwhile.
  ///
  /// A key that is not in the remembered set, or no longer fits, is looked for once in a fresh one.
  ///
  /// - Throws: `invalidAnswer` with the check that failed; `transient` when no keys can be fetched.
  func verify(
    _ token: String, _ rule: IDTokenRule, from provider: ProviderMetadata, _ connection: Connection, now: Timestamp
  ) async throws(UpstreamFailure) -> JWTClaims {
    let known = try await keys(of: provider, connection)
    do {
      return try rule.claims(of: token, keys: known, now: now.seconds)
    } catch .signature(let cause) where cause == .unknownKey || cause == .badSignature {
      guard let fresh = try await freshKeys(forTheSakeOf: token, of: provider, connection) else {
        throw Self.failure(.signature(cause), provider)
      }
      do {
        return try rule.claims(of: token, keys: fresh, now: now.seconds)
      } catch {
        throw Self.failure(error, provider)
      }
    } catch {
      throw Self.failure(error, provider)
    }
  }

  /// The remembered set while it is fresh, else a new one; an old one when the provider cannot be reached.
  private func keys(
    of provider: ProviderMetadata, _ connection: Connection
  ) async throws(UpstreamFailure) -> JWKSet {
    let key = ProviderDirectory.Key(connection)
    let known = sets.value(for: key, youngerThan: ProviderDirectory.staleLifetime, at: .now)
    if let known, known.freshUntil > .now { return known.set }
    do {
      return try await fetch(provider, connection)
    } catch {
      if let known { return known.set }
      throw error.withNothingSent
    }
  }

  /// The remembered set, and whether it is fresh.
  func remembered(for key: ProviderDirectory.Key) -> (set: JWKSet, isFresh: Bool)? {
    sets.value(for: key, youngerThan: ProviderDirectory.staleLifetime, at: .now).map { ($0.set, $0.freshUntil > .now) }
  }

  /// A newly fetched set, or `nil` when one was fetched for the same key a moment ago.
  private func freshKeys(
    forTheSakeOf token: String, of provider: ProviderMetadata, _ connection: Connection
  ) async throws(UpstreamFailure) -> JWKSet? {
    let missing = UnknownKey(provider: ProviderDirectory.Key(connection), keyID: Self.keyID(of: token))
    guard unknownKeys.value(for: missing, youngerThan: Self.unknownKeyLifetime, at: .now) == nil else { return nil }
    unknownKeys.store(true, for: missing, at: .now)
    do { return try await fetch(provider, connection) } catch { throw error.withNothingSent }
  }

  /// Asks for the set whatever is remembered.
  func fetch(
    _ provider: ProviderMetadata, _ connection: Connection
  ) async throws(UpstreamFailure) -> JWKSet {
    var call = Dialer.Call(url: provider.keysEndpoint)
    call.limit = JWKSet.sizeLimit
    let reply = try await dialer.send(call, for: connection)
    guard reply.status == 200 else {
      throw ProviderAnswer.failure(
        status: reply.status, body: reply.body, retryAfter: reply.retryAfter, host: reply.host)
    }
    let set: JWKSet
    do { set = try JWKSet(parsing: reply.body) } catch {
      throw .invalidAnswer("\(reply.host) publishes no usable key set.")
    }
    let lifetime = CacheLifetime.of(reply.headers["cache-control"])
    sets.store(Entry(set: set, freshUntil: .now + lifetime), for: ProviderDirectory.Key(connection), at: .now)
    return set
  }

  private static func keyID(of token: String) -> String? {
    do { return try JWS(parsing: token).keyID } catch { return nil }
  }

  private static func failure(_ cause: IDTokenFailure, _ provider: ProviderMetadata) -> UpstreamFailure {
    .invalidAnswer("The ID token of \(provider.issuer) was refused: \(cause.words).")
  }
}

/// How long a publication may be used before it is fetched again.
enum CacheLifetime {
  /// `max-age` of a `Cache-Control` field (RFC 9111 §5.2.2.1), held between five minutes and a day.
  static func of(_ cacheControl: String?) -> Duration {
    let directives = (cacheControl ?? "").lowercased().split(separator: ",").map { String($0).trimmed }
    if directives.contains("no-store") || directives.contains("no-cache") { return .seconds(300) }
    let age = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int64($0.dropFirst(8)) }
    return .seconds(min(max(age ?? 300, 300), 24 * 60 * 60))
  }
}
