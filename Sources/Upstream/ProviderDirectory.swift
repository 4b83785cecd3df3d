internal import Domain
internal import JSON

/// What OpenID providers publish, fetched when needed and remembered: discovery documents and key sets.
struct ProviderDirectory: Sendable {
  /// Whose publication it is; another revision of a connection starts anew.
  struct Key: Hashable {
    let connection: ConnectionID
    let revision: Int64
    let issuer: String

    init(_ connection: Connection) {
      self.connection = connection.id
      revision = connection.revision
      issuer = connection.origin
    }
  }

  /// How long a discovery document is not asked for again, and how long it still serves when the provider is down.
  static let documentLifetime: Duration = .seconds(24 * 60 * 60)
  static let staleLifetime: Duration = .seconds(7 * 24 * 60 * 60)

  let dialer: Dialer
  let keys: KeyDirectory
  /// Bounds what strangers can make us ask.
  let looks = ProviderLooks()
  private let documents = BoundedCache<Key, ProviderMetadata>(capacity: 1000)

  init(dialer: Dialer) {
    self.dialer = dialer
    keys = KeyDirectory(dialer: dialer)
  }

  /// The provider's discovery document, at most a day old, or a week when it cannot be fetched.
  func metadata(of connection: Connection) async throws(UpstreamFailure) -> ProviderMetadata {
    let key = Key(connection)
    if let known = documents.value(for: key, youngerThan: Self.documentLifetime, at: .now) { return known }
    do {
      let metadata = try await fetchMetadata(of: connection)
      documents.store(metadata, for: key, at: .now)
      return metadata
    } catch {
      if let old = documents.value(for: key, youngerThan: Self.staleLifetime, at: .now) { return old }
      throw error.withNothingSent
    }
  }

  /// What is remembered of the provider's document and keys, however old, as long as it may still serve.
  func sight(of connection: Connection) -> ProviderSight? {
    let key = Key(connection)
    guard let document = documents.value(for: key, youngerThan: Self.staleLifetime, at: .now),
      let (set, isFresh) = keys.remembered(for: key)
    else { return nil }
    let isNew = documents.value(for: key, youngerThan: Self.documentLifetime, at: .now) != nil
    return ProviderSight(metadata: document, keys: set, isFresh: isFresh && isNew)
  }

  /// Asks for the discovery document whatever is remembered.
  func fetchMetadata(of connection: Connection) async throws(UpstreamFailure) -> ProviderMetadata {
    let call = Dialer.Call(url: ProviderMetadata.url(of: connection.origin))
    let reply = try await dialer.send(call, for: connection)
    if [404, 410].contains(reply.status) {
      throw .misconfigured(
        "\(call.url) was asked and does not exist (status \(reply.status)): \(connection.origin) is no OpenID provider."
      )
    }
    return try ProviderMetadata(try reply.providerObject(), for: connection)
  }
}

extension UpstreamFailure {
  /// The failure of a look at the server, seen from the password that was to be shown to it: that never left.
  var beforePassword: UpstreamFailure {
    switch self {
    case .misconfigured(let text, _): .misconfigured(text, isSent: false)
    case .transient(let text, let retryAfter, _): .transient(text, retryAfter: retryAfter, .notSent)
    case .ambiguous(let text): .transient(text, retryAfter: nil, .notSent)
    case .invalidAnswer, .refused: self
    }
  }

  /// The failure of a request that changes nothing upstream, seen from the one it was to prepare: that was never sent.
  var withNothingSent: UpstreamFailure {
    switch self {
    case .ambiguous(let text): .transient(text, retryAfter: nil, .down)
    case .invalidAnswer(let text), .refused(let text): .transient(text, retryAfter: nil)
    case .transient, .misconfigured: self
    }
  }
}
