public import Domain
import Storage
import Upstream

/// Puts another API key in the place of the one that a connection has, without a gap: the old one goes on working at the
/// upstream until it is ended there, or cancelled from here.
public struct ReplaceKey: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Returns: What became of the old key; `nil` when it had ended, since the new one was made in its slot.
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line: `not_found`,
  ///   `invalid_request` for another kind or a key that cannot be one, `invalid_client` when the upstream refuses it.
  public func callAsFunction(
    _ key: TypedToken, of id: ConnectionID, cancelsOld: Bool, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> KeyEnding? {
    let now = here.clock.now()
    if let objection = key.keyObjections(at: now).first { throw Refusal(.invalidRequest, objection.text) }
    guard let connection = try await here.store.read({ try $0.connection(id) }) else {
      throw Refusal(.notFound, "There is no connection called \(id).")
    }
    guard connection.kind == .apiKey else {
      throw Refusal(.invalidRequest, "\(id) has no API key: it is of the kind \(connection.kind.rawValue).")
    }
    let held = try await here.heldKeys(of: id)
    // In the slot of the next key, it has ended that one.
    let next = held?.tokens.nextKey.flatMap { $0.standsBeside(key) ? $0 : nil }
    let own = try await here.ownCredential(
      connection, key: key, next: next, item: held?.tokens.keyItem, clientSecret: nil)
    let old = held.flatMap { held in
      held.tokens.key.standsBeside(key) ? CancelKey(here, held.tokens.key, of: held, isAsked: cancelsOld) : nil
    }
    let changed = here.recording(
      AuditEvent(
        .connectionChanged, at: now, origin: visitor.origin, account: administrator, connection: id,
        detail: ["replace key", old?.plan].compactMap(\.self).joined(separator: "; ")))
    let refusal: Refusal? = try await here.store.write { tx in
      // It may have been deleted while the upstream answered, or got a next key.
      guard try tx.connection(id)?.revision == connection.revision else {
        return Refusal(.notFound, "The connection \(id) has been deleted meanwhile.")
      }
      if let held, try tx.credential(of: Account.service, for: id)?.isLaterThan(held.credential) ?? false {
        return HeldKeys.changedMeanwhile
      }
      try tx.insertServiceAccount(at: now)
      try tx.put(own.credential, tokens: own.tokens)
      try old?.begin(tx)
      try changed(tx)
      return nil
    }
    if let refusal { throw refusal }
    return try await old?.finish()
  }
}

extension Credential {
  fileprivate func isLaterThan(_ other: Credential) -> Bool { id != other.id || generation != other.generation }
}

extension Installation {
  /// The service's own credential for `connection`, got from the upstream or typed in and tried there.
  ///
  /// - Throws: `Refusal`, as ``obtainOwn(_:key:clientSecret:)`` does.
  func ownCredential(
    _ connection: Connection, key: TypedToken?, next: TypedToken? = nil, item: KeyItem? = nil, clientSecret: Secret?
  ) async throws -> (credential: Credential, tokens: Sealed) {
    var obtained = try await obtainOwn(connection, key: key, clientSecret: clientSecret)
    if connection.kind == .apiKey {
      obtained = Upstream.SignedIn(
        tokens: UpstreamTokens(key: obtained.tokens.key, next: next, item: item), identity: obtained.identity,
        provenName: nil)
    }
    let credential = Credential(of: Account.service, obtained, at: clock.now())
    return (credential, try seal(obtained.tokens, of: credential.id, credential.account, connection))
  }

  /// What the upstream gives for our registration, or `key` once it was tried there.
  ///
  /// - Throws: `Refusal`: `invalid_client` when the upstream refuses what stands in the secret or key, else
  ///   `upstream_error`.
  func obtainOwn(
    _ connection: Connection, key: TypedToken?, clientSecret: Secret?
  ) async throws -> Upstream.SignedIn {
    var registration = publicRegistration(for: connection)
    registration.clientSecret = clientSecret
    do {
      return try await upstreams.serviceKind(of: connection).obtain(key, registration, now: clock.now())
    } catch {
      switch error {
      case .refused, .misconfigured: throw Refusal(.invalidClient, error.text)
      case .transient, .ambiguous, .invalidAnswer: throw Refusal(.upstreamError, error.text)
      }
    }
  }
}
