public import Domain
import Storage
import Upstream

/// The key in the other slot of an API key credential: it is entered while the first works, and takes its place when that
/// ends or is refused, or as soon as an administrator says so.
public struct NextKey: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Puts `key` beside the one in use, in the place of the next key that there may be.
  ///
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line: `not_found`,
  ///   `invalid_request` for another kind or a key that cannot be the next, `invalid_client` when the upstream refuses
  ///   it.
  public func put(_ key: TypedToken, of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor) async throws
  {
    if let objection = key.keyObjections(at: here.clock.now()).first { throw Refusal(.invalidRequest, objection.text) }
    let held = try await held(id)
    guard key.token != held.tokens.accessToken else {
      throw Refusal(.invalidRequest, "This is the key in use. Enter the one of the other slot.")
    }
    guard key.standsBeside(held.tokens.key) else {
      throw Refusal(
        .invalidRequest,
        "This key stands in the slot of the one in use, which it has ended in ArcGIS. Replace that one with it.")
    }
    let checked = try await here.obtainOwn(held.connection, key: key, clientSecret: nil)
    try await keep(
      UpstreamTokens(key: held.tokens.key, next: checked.tokens.key, item: held.tokens.keyItem), of: held, "next key",
      administrator, visitor)
  }

  /// Lets the next key take the place of the one in use at once, and cancels the latter in ArcGIS if `cancelsOld`.
  ///
  /// - Throws: `Refusal`, as ``put(_:of:by:_:)`` does, and `invalid_request` when there is no next key.
  public func use(
    of id: ConnectionID, cancelsOld: Bool, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> KeyEnding {
    let held = try await held(id)
    guard let next = held.tokens.nextKey else { throw Self.none(id) }
    if let objection = next.objections(at: here.clock.now()).first { throw Refusal(.invalidRequest, objection.text) }
    let checked = try await here.obtainOwn(held.connection, key: next, clientSecret: nil)
    let cancellation = CancelKey(here, held.tokens.key, of: held, isAsked: cancelsOld)
    let tokens = UpstreamTokens(key: checked.tokens.key, item: held.tokens.keyItem)
    try await keep(tokens, of: held, "use next key", administrator, visitor, cancellation)
    return try await cancellation.finish()
  }

  /// Forgets the next key, and cancels it in ArcGIS if that is possible.
  public func remove(of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor) async throws -> KeyEnding {
    let held = try await held(id)
    guard let next = held.tokens.nextKey else { throw Self.none(id) }
    let cancellation = CancelKey(here, next, of: held, isAsked: true)
    let tokens = UpstreamTokens(key: held.tokens.key, item: held.tokens.keyItem)
    try await keep(tokens, of: held, "remove next key", administrator, visitor, cancellation)
    return try await cancellation.finish()
  }

  /// Keeps what keys are cancelled with; nobody can try it without ending one.
  public func name(
    _ item: KeyItem, of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    if let objection = item.objections.first { throw Refusal(.invalidRequest, objection.text) }
    let held = try await held(id)
    let tokens = UpstreamTokens(key: held.tokens.key, next: held.tokens.nextKey, item: item)
    try await keep(tokens, of: held, "client secret of the key", administrator, visitor)
  }

  private static func none(_ id: ConnectionID) -> Refusal { Refusal(.invalidRequest, "\(id) has no next key.") }

  private func held(_ id: ConnectionID) async throws -> HeldKeys {
    guard let connection = try await here.store.read({ try $0.connection(id) }) else {
      throw Refusal(.notFound, "There is no connection called \(id).")
    }
    guard connection.kind == .apiKey else {
      throw Refusal(.invalidRequest, "\(id) has no API key: it is of the kind \(connection.kind.rawValue).")
    }
    guard let held = try await here.heldKeys(of: id), held.credential.state == .active else {
      throw Refusal(.invalidRequest, "The key of \(id) does not work any more. Replace it.")
    }
    return held
  }

  private func keep(
    _ tokens: UpstreamTokens, of held: HeldKeys, _ what: String, _ administrator: AccountID?, _ visitor: Visitor,
    _ cancellation: CancelKey? = nil
  ) async throws {
    let (credential, now) = (held.credential, here.clock.now())
    let sealed = try here.seal(tokens, of: credential.id, credential.account, held.connection)
    let changed = here.recording(
      AuditEvent(
        .connectionChanged, at: now, origin: visitor.origin, account: administrator, connection: held.connection.id,
        detail: [what, cancellation?.plan].compactMap(\.self).joined(separator: "; ")))
    let isDone = try await here.store.write { tx in
      guard
        try tx.replaceTokens(
          of: credential.id, generation: credential.generation, with: sealed, TokenExpiry(tokens), at: now)
      else { return false }
      try cancellation?.begin(tx)
      try changed(tx)
      return true
    }
    guard isDone else { throw HeldKeys.changedMeanwhile }
  }
}

/// The keys of a connection as they are kept.
struct HeldKeys: Sendable {
  let connection: Connection
  let credential: Credential
  let tokens: UpstreamTokens

  static let changedMeanwhile = Refusal(
    .invalidRequest, "The keys of this connection have changed meanwhile. Look at them, and try again if need be.")
}

/// A key of a connection, as administrators see it.
public struct KeyStanding: Sendable {
  /// 1 or 2; `nil` when the key does not tell.
  public let slot: Int?
  public let endsAt: Timestamp
  /// Whether it waits until the other one ends.
  public let isNext: Bool

  init(_ key: TypedToken, isNext: Bool) {
    slot = key.apiKeySlot
    endsAt = key.expiresAt
    self.isNext = isNext
  }
}

extension Installation {
  /// The API keys that stand for a connection, the one in use first; none for other kinds.
  public func keys(of connection: Connection) async throws -> [KeyStanding] {
    guard connection.kind == .apiKey, let tokens = try await heldKeys(of: connection.id)?.tokens else { return [] }
    return [KeyStanding(tokens.key, isNext: false)] + (tokens.nextKey.map { [KeyStanding($0, isNext: true)] } ?? [])
  }

  /// The client id with which keys of a connection are cancelled; `nil` when none was entered.
  public func keyItemID(of connection: Connection) async throws -> String? {
    connection.kind == .apiKey ? try await heldKeys(of: connection.id)?.tokens.keyItem?.clientID : nil
  }

  /// The keys of a connection of the kind `apiKey`; `nil` for other kinds, and where there are none that open.
  func heldKeys(of id: ConnectionID) async throws -> HeldKeys? {
    let stored = try await store.read { tx in
      (connection: try tx.connection(id), credential: try tx.sealedCredential(of: Account.service, for: id))
    }
    guard let connection = stored.connection, connection.kind == .apiKey, let (credential, sealed) = stored.credential
    else { return nil }
    do {
      let tokens = try unseal(sealed, of: credential, connection)
      return HeldKeys(connection: connection, credential: credential, tokens: tokens)
    } catch KeyFailure.notAuthentic { return nil }
  }
}
