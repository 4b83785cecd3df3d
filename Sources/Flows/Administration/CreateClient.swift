public import Domain
import HTTP
import JOSE
import Storage

/// Registers a client app.
public struct CreateClient: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the administrator chose.
  public struct Draft: Sendable {
    public var name: String
    public var kind: Client.Kind
    public var grants: [Client.Grant]
    public var redirectURIs: [RedirectURI]
    public var scope: Scope
    public var permissions: [Client.Permission]
    public var options = ClientOptions()

    public init(
      name: String, kind: Client.Kind, grants: [Client.Grant], redirectURIs: [RedirectURI], scope: Scope,
      permissions: [Client.Permission]
    ) {
      self.name = name
      self.kind = kind
      self.grants = grants
      self.redirectURIs = redirectURIs
      self.scope = scope
      self.permissions = permissions
    }

    /// What is wrong with the draft, by field.
    public var objections: [(field: String, text: String)] {
      let client = client(.random(), at: Timestamp(seconds: 0))
      return client.objections + CreateClient.objections(toKeysOf: client)
    }

    func client(_ id: ClientID, at now: Timestamp) -> Client {
      Client(
        id: id, name: name, kind: kind, redirectURIs: redirectURIs, grants: grants, scope: scope,
        permissions: permissions, options: options, createdAt: now)
    }

    /// The client that `before` becomes by this; its kind stays.
    func client(replacing before: Client) -> Client {
      Client(
        id: before.id, name: name, kind: before.kind, redirectURIs: redirectURIs, grants: grants, scope: scope,
        permissions: permissions, options: options, isDisabled: before.isDisabled, isTrusted: before.isTrusted,
        createdAt: before.createdAt)
    }
  }

  /// - Returns: The client and, unless it is public, its secret, which is shown this once and never again.
  /// - Throws: `Refusal` with a sentence for the administrator.
  public func callAsFunction(
    _ draft: Draft, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (client: Client, secret: Secret?) {
    let now = here.clock.now()
    let client = draft.client(.random(), at: now)
    if let objection = client.objection { throw Refusal(.invalidRequest, objection) }
    if let objection = Self.objections(toKeysOf: client).first { throw Refusal(.invalidRequest, objection.text) }
    let secret = client.authentication.usesSecret ? NewToken() : nil
    let created = here.recording(
      AuditEvent(.clientCreated, at: now, origin: visitor.origin, account: administrator, client: client.id))
    let refusal: Refusal? = try await here.store.write { tx in
      if let refusal = try Self.refusal(of: client, tx) { return refusal }
      try tx.insert(client)
      if let secret { try tx.setSecret(secret.hash, of: client.id, at: now) }
      try created(tx)
      return nil
    }
    if let refusal { throw refusal }
    return (client, secret?.secret)
  }

  /// What forbids a client because of what else is there; `before` is what it replaces.
  static func refusal(of client: Client, insteadOf before: Client? = nil, _ tx: Transaction) throws -> Refusal? {
    for permission in client.permissions {
      guard let connection = try tx.connection(permission.connection) else {
        return Refusal(.invalidRequest, "There is no connection called \(permission.connection).")
      }
      if let text = permission.unattendedObjection(to: connection) { return Refusal(.invalidRequest, text) }
    }
    if let before, DisplayName.areAlike(before.name, client.name) { return nil }
    let isTaken = try tx.trustedClientNames().contains { DisplayName.areAlike($0, client.name) }
    return isTaken ? nameTaken(client.name) : nil
  }

  /// What is wrong with the keys that it registers and with where its jobs run, by field.
  static func objections(toKeysOf client: Client) -> [(field: String, text: String)] {
    var found: [(String, String)] = []
    if case .inline(let set) = client.options.keys, let text = objection(to: set) { found.append(("keys", text)) }
    if let set = client.options.unattendedKeys, let text = unattendedObjection(to: set, client) {
      found.append(("unattended_keys", text))
    }
    let ranges = client.options.unattendedNetworks
    if let wrong = ranges.first(where: { AddressRange($0).map { $0.length == 0 } ?? true }) {
      found.append(
        ("unattended_networks", "\(wrong) is no network such as 10.20.0.0/16, or 192.0.2.7/32 for one address."))
    }
    return found
  }

  private static func objection(to set: String) -> String? {
    let keys = try? ClientKeySet(parsing: Array(set.utf8))
    if keys?.holdsPrivateKey ?? false {
      return "The JWK set holds a private or secret key: keep that, and make a new one."
    }
    if keys == nil, (try? JWKSet(parsing: Array("{\"keys\":[\(set)]}".utf8)))?.keys.isEmpty == false {
      return "This is one key, not a set of them: write {\"keys\": [ … ]} around it."
    }
    return keys?.keys.keys.isEmpty ?? true
      ? "The JWK set holds no public key that can verify ES256, PS256, EdDSA or RS256." : nil
  }

  private static func unattendedObjection(to set: String, _ client: Client) -> String? {
    if let text = objection(to: set) { return text }
    let login = Set((client.inlineKeys?.keys.keys ?? []).map(\.thumbprint))
    guard client.unattendedKeys?.keys.contains(where: { login.contains($0.thumbprint) }) ?? false else { return nil }
    return "The client authenticates with one of these keys: unattended requests need keys of their own."
  }

  /// People could not tell the clients apart when they are asked to allow one.
  public static func nameTaken(_ name: String) -> Refusal {
    Refusal(.invalidRequest, "There is a client called \(name) already. Choose a name that people can tell from it.")
  }
}
