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

  fileprivate struct Held {
    let cache: TicketCache
    let service: String
    /// In seconds since 1970.
    let until: Int64
  }

  /// How long a person waits for a key distribution centre.
  private static let patience = Duration.seconds(10)
  /// Seconds that tickets must still be good for.
  private static let margin: Int64 = 120
  fileprivate static let capacity = 10_000

  fileprivate struct State {
    var held: [Owner: Held] = [:]
    /// How many get tickets just now, by credential.
    var getting: [String: Int] = [:]
    /// Those of them whose credential was forgotten meanwhile: what they get is not kept.
    var forgotten: Set<String> = []
  }

  private let asking = KerberosThreads(most: 24, ofOneRealm: 12)
  /// These ask no centre, and wait for none.
  private let proving = KerberosThreads(most: 64, ofOneRealm: 64)
  private let state = Mutex(State())

  public init() {}

  /// A token for `Authorization: Negotiate`, of tickets that `key` gets where none are held; made new for each request.
  ///
  /// - Throws: ``KerberosFailure``.
  public func proof(
    by key: KerberosKey, of owner: Owner, in realm: KerberosRealm, forHTTPAt host: String
  ) async throws(KerberosFailure) -> [UInt8] {
    let service = "HTTP/\(host)"
    let now = Int64(time(nil))
    if let held = state.withLock({ $0.held[owner] }), held.service == service, held.until - now > Self.margin {
      return try await proving.run(for: realm.name, within: Self.patience) { () throws(KerberosFailure) in
        try held.cache.proof(for: service)
      }
    }
    state.withLock { $0.getting[owner.credential, default: 0] += 1 }
    var new: Held?
    defer { state.withLock { $0.finish(owner, new, at: now) } }
    let (held, proof) = try await asking.run(for: realm.name, within: Self.patience) { () throws(KerberosFailure) in
      let cache = TicketCache(realm)
      let until = try KerberosContext(realm).fill(cache, by: key, for: service)
      return (Held(cache: cache, service: service, until: until), try cache.proof(for: service))
    }
    new = held
    return proof
  }

  /// Destroys the tickets of every generation of `credential`.
  public func forget(_ credential: String) {
    let ended = state.withLock { state in
      if state.getting[credential] != nil { state.forgotten.insert(credential) }
      let ended = state.held.filter { $0.key.credential == credential }
      for owner in ended.keys { state.held[owner] = nil }
      return ended
    }
    // Destroying takes longer than others should wait.
    withExtendedLifetime(ended) {}
  }

  /// Whether tickets of `credential` are held.
  public func holds(_ credential: String) -> Bool {
    state.withLock { $0.held.keys.contains { $0.credential == credential } }
  }
}

extension KerberosTickets.State {
  /// Keeps what was got, unless its credential was forgotten while it was.
  fileprivate mutating func finish(_ owner: KerberosTickets.Owner, _ new: KerberosTickets.Held?, at now: Int64) {
    if let new, !forgotten.contains(owner.credential) {
      if held.count >= KerberosTickets.capacity { held = held.filter { $0.value.until > now } }
      held[owner] = new
    }
    getting[owner.credential] = getting[owner.credential].flatMap { $0 > 1 ? $0 - 1 : nil }
    if getting[owner.credential] == nil { forgotten.remove(owner.credential) }
  }
}
