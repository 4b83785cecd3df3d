public import Domain
import Storage
import Upstream

/// Puts another API key in the place of the one that a connection has, without a gap: the old one goes on working at the
/// upstream until it is ended there.
public struct ReplaceKey: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line: `not_found`,
  ///   `invalid_request` for another kind or a key that cannot be one, `invalid_client` when the upstream refuses it.
  @discardableResult
  public func callAsFunction(
    _ key: TypedToken, of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> Connection {
    let now = here.clock.now()
    if let objection = key.keyObjections(at: now).first { throw Refusal(.invalidRequest, objection.text) }
    guard let connection = try await here.store.read({ try $0.connection(id) }) else {
      throw Refusal(.notFound, "There is no connection called \(id).")
    }
    guard connection.kind == .apiKey else {
      throw Refusal(.invalidRequest, "\(id) has no API key: it is of the kind \(connection.kind.rawValue).")
    }
    let own = try await here.ownCredential(connection, key: key, clientSecret: nil)
    let changed = here.recording(
      AuditEvent(
        .connectionChanged, at: now, origin: visitor.origin, account: administrator, connection: id,
        detail: "replace key"))
    let isDone = try await here.store.write { tx in
      // It may have been deleted while the upstream answered.
      guard try tx.connection(id)?.revision == connection.revision else { return false }
      try tx.insertServiceAccount(at: now)
      try tx.put(own.credential, tokens: own.tokens)
      try changed(tx)
      return true
    }
    guard isDone else { throw Refusal(.notFound, "The connection \(id) has been deleted meanwhile.") }
    return connection
  }
}

extension Installation {
  /// The API key that stands for a connection; `nil` for other kinds.
  public func apiKey(of connection: Connection) async throws -> Credential? {
    guard connection.kind == .apiKey else { return nil }
    return try await store.read { try $0.credential(of: Account.service, for: connection.id) }
  }

  /// The service's own credential for `connection`, got from the upstream or typed in and tried there.
  ///
  /// - Throws: `Refusal`: `invalid_client` when the upstream refuses what stands in the secret or key, else
  ///   `upstream_error`.
  func ownCredential(
    _ connection: Connection, key: TypedToken?, clientSecret: Secret?
  ) async throws -> (credential: Credential, tokens: Sealed) {
    var registration = publicRegistration(for: connection)
    registration.clientSecret = clientSecret
    let now = clock.now()
    let obtained: Upstream.SignedIn
    do {
      obtained = try await upstreams.serviceKind(of: connection).obtain(key, registration, now: now)
    } catch {
      switch error {
      case .refused, .misconfigured: throw Refusal(.invalidClient, error.text)
      case .transient, .ambiguous, .invalidAnswer: throw Refusal(.upstreamError, error.text)
      }
    }
    let credential = Credential(of: Account.service, obtained, at: now)
    return (credential, try seal(obtained.tokens, of: credential.id, credential.account, connection))
  }
}
