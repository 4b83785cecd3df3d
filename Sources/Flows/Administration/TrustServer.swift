public import Domain
import Storage
import Upstream

/// Lets an administrator look at a server's certificates, and trust exactly its public key until a day.
public struct TrustServer: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What an administrator approves.
  public struct Approval: Sendable {
    /// `host:port`.
    public let server: String
    /// SHA-256 of the public key.
    public let publicKey: String
    /// `nil` for the usual lifetime; the certificate's end comes first in any case.
    public let until: Timestamp?

    public init(server: String, publicKey: String, until: Timestamp?) {
      self.server = server
      self.publicKey = publicKey
      self.until = until
    }
  }

  /// Looks at a server that the connection has to do with, or at any that an administrator `isDeclaring`; a link, which
  /// somebody else can make them follow, declares nothing.
  ///
  /// - Throws: `Refusal` `not_found`, or `upstream_error` when the server cannot be looked at.
  public func look(at server: String, of id: ConnectionID, isDeclaring: Bool) async throws -> ServerSight {
    let connection = try await connection(id)
    guard isDeclaring || connection.knows(server) else {
      throw Refusal(.invalidRequest, "\(id) has nothing to do with this server: name it among its resources first.")
    }
    return try await look(at: server, connection, isDeclared: isDeclaring)
  }

  /// The first server of a draft whose certificate is not trusted; `nil` when all are, or cannot be looked at.
  public func untrusted(of draft: Connection) async -> ServerSight? {
    for address in [draft.origin] + (draft.provider.endpoints?.all ?? []) {
      let text = address.contains("://") ? address : "https://\(address)"
      guard let url = ResourceURL(text), url.isHTTPS else { continue }
      var draft = draft
      if url.isLoopback { draft.reach.hosts.append("\(url.host):\(url.port)") }
      do throws(UpstreamFailure) {
        let sight = try await here.upstreams.trust.look(at: "\(url.host):\(url.port)", for: draft)
        if sight.distrust != nil { return sight }
      } catch { continue }
    }
    return nil
  }

  /// A key that is trusted, with what its server shows just now.
  public struct Standing: Sendable {
    public let key: TrustedKey
    /// `nil` when the server does not answer.
    public let sight: ServerSight?
  }

  /// What has become of the keys that are trusted.
  public func standing(of connection: Connection) async -> [Standing] {
    let standing = await withTaskGroup(of: Standing.self) { group in
      for key in connection.trustedKeys {
        group.addTask {
          do throws(UpstreamFailure) {
            return Standing(key: key, sight: try await here.upstreams.trust.look(at: key.server, for: connection))
          } catch { return Standing(key: key, sight: nil) }
        }
      }
      return await group.reduce(into: [Standing]()) { $0.append($1) }.sorted { $0.key.server < $1.key.server }
    }
    here.distrustedServers.note(standing, of: connection.id)
    return standing
  }

  /// Checks `approval` against what the server shows now, and keeps it with `draft`, which is not stored yet.
  ///
  /// - Throws: `Refusal` with a sentence for the administrator.
  public func approve(_ approval: Approval, in draft: Connection) async throws -> Connection {
    let now = here.clock.now()
    var draft = draft
    let url = ResourceURL("https://\(approval.server)/")
    if url?.isLoopback == true { draft.reach.hosts.append(approval.server) }
    let key = try await checked(approval, draft, at: now)
    draft.trustedKeys = draft.trustedKeys.filter { $0.server != key.server } + [key]
    return draft
  }

  /// Trusts the key from now on.
  ///
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line.
  @discardableResult
  public func approve(
    _ approval: Approval, of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> TrustedKey {
    let key = try await checked(approval, try await connection(id), at: here.clock.now())
    try await change(key.server, of: id, by: administrator, visitor, detail: "trust a server's key") { $0.append(key) }
    return key
  }

  /// Trusts the key of `server` no longer.
  public func withdraw(
    _ server: String, of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    guard try await connection(id).trustedKey(of: server) != nil else {
      throw Refusal(.notFound, "No key of \(server) is trusted for \(id).")
    }
    try await change(server, of: id, by: administrator, visitor, detail: "trust a server's key no longer") { _ in }
  }

  /// The key as it is kept, once the server has shown it, with a name and dates that fit.
  private func checked(_ approval: Approval, _ connection: Connection, at now: Timestamp) async throws -> TrustedKey {
    var plain = connection
    plain.trustedKeys.removeAll { $0.server == approval.server }
    let before = try await look(at: approval.server, plain)
    guard let leaf = before.chain.first else {
      throw Refusal(.upstreamError, "\(approval.server) shows no certificate.")
    }
    guard before.distrust != nil else {
      throw Refusal(.invalidRequest, "The certificate of \(approval.server) is trusted anyway: no approval is needed.")
    }
    let until = min(approval.until ?? now + TrustedKey.usualLifetime, leaf.validUntil)
    guard until > now else {
      throw Refusal(
        .invalidRequest, "The certificate of \(approval.server) has ended, or the day that was given is over.")
    }
    guard let key = TrustedKey(server: before.server, publicKey: approval.publicKey, until: until) else {
      throw Refusal(.invalidRequest, "The key is no SHA-256: 64 hexadecimal digits, with or without colons.")
    }
    plain.trustedKeys.append(key)
    let after = try await look(at: approval.server, plain)
    guard after.approval != .otherKey else {
      throw Refusal(
        .invalidRequest, "\(key.server) shows the key \(leaf.publicKeyFingerprint) now, not the one that was approved.")
    }
    if let distrust = after.distrust { throw Refusal(.invalidRequest, distrust.whyNotApproved(at: key.server)) }
    return key
  }

  private func look(at server: String, _ connection: Connection, isDeclared: Bool = true) async throws -> ServerSight {
    do { return try await here.upstreams.trust.look(at: server, for: connection, isDeclared: isDeclared) } catch {
      throw Refusal(.upstreamError, error.text)
    }
  }

  private func connection(_ id: ConnectionID) async throws -> Connection {
    guard let connection = try await here.store.read({ try $0.connection(id) }) else {
      throw Refusal(.notFound, "There is no connection called \(id).")
    }
    return connection
  }

  /// Changes what is trusted, beginning without any key of `server`.
  private func change(
    _ server: String, of id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor, detail: String,
    _ change: @escaping @Sendable (inout [TrustedKey]) -> Void
  ) async throws {
    let changed = here.recording(
      AuditEvent(
        .connectionChanged, at: here.clock.now(), origin: visitor.origin, account: administrator, connection: id,
        resource: "https://\(server)/", detail: detail))
    let isDone = try await here.store.write { tx in
      guard var connection = try tx.connection(id) else { return false }
      connection.trustedKeys.removeAll { $0.server == server }
      change(&connection.trustedKeys)
      try tx.setOptions(of: connection)
      try changed(tx)
      return true
    }
    guard isDone else { throw Refusal(.notFound, "The connection \(id) has been deleted meanwhile.") }
  }
}

extension Distrust {
  /// What speaks against trusting a server's key, beside its authority.
  fileprivate func whyNotApproved(at server: String) -> String {
    switch self {
    case .expired: "The certificate of \(server) has expired. The server needs another one."
    case .notYetValid: "The certificate of \(server) is not valid yet."
    case .otherHost: "The certificate of \(server) is made out to another name. The server needs another one."
    case .unknownAuthority, .other: "The certificate of \(server) cannot be trusted, whoever approves it."
    }
  }
}
