import Glibc
import Synchronization

/// The tickets of everybody, each credential's in a cache of its own, and the proofs that are made of them.
public final class KerberosTickets: Sendable {
  /// One person's credential, as it stands.
  public struct Owner: Sendable, Hashable {
    let credential: String
    let generation: Int64

    public init(credential: String, generation: Int64) {
      self.credential = credential
      self.generation = generation
    }
  }

  private struct Held {
    let cache: TicketCache
    let service: String
    /// In seconds since 1970.
    let until: Int64
  }

  /// How long a person waits for a key distribution centre.
  private static let patience = Duration.seconds(10)
  /// Seconds that tickets must still be good for.
  private static let margin: Int64 = 120
  private static let capacity = 10_000

  private let threads = KerberosThreads()
  private let held = Mutex<[Owner: Held]>([:])

  public init() {}

  /// A token for `Authorization: Negotiate`, of tickets that `key` gets where none are held; made new for each request.
  ///
  /// - Throws: ``KerberosFailure``.
  public func proof(
    by key: KerberosKey, of owner: Owner, in realm: KerberosRealm, forHTTPAt host: String
  ) async throws(KerberosFailure) -> [UInt8] {
    let service = "HTTP/\(host)"
    let now = Int64(time(nil))
    if let held = held.withLock({ $0[owner] }), held.service == service, held.until - now > Self.margin {
      return try await threads.run(within: Self.patience) { () throws(KerberosFailure) in
        try held.cache.proof(for: service)
      }
    }
    let (new, proof) = try await threads.run(within: Self.patience) { () throws(KerberosFailure) in
      let cache = TicketCache(realm)
      let until = try KerberosContext(realm).fill(cache, by: key, for: service)
      return (Held(cache: cache, service: service, until: until), try cache.proof(for: service))
    }
    held.withLock { held in
      if held.count >= Self.capacity { held = held.filter { $0.value.until > now } }
      held[owner] = new
    }
    return proof
  }

  /// Destroys the tickets of every generation of `credential`.
  public func forget(_ credential: String) {
    let ended = held.withLock { held in
      let ended = held.filter { $0.key.credential == credential }
      for owner in ended.keys { held[owner] = nil }
      return ended
    }
    // Destroying takes longer than others should wait.
    withExtendedLifetime(ended) {}
  }

  /// Whether tickets of `credential` are held.
  public func holds(_ credential: String) -> Bool { held.withLock { $0.keys.contains { $0.credential == credential } } }
}
