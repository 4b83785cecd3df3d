import Crypto
import Domain
import HTTPClient
import Logging
import SQL
import Storage
import Testing
import Upstream

@testable import Flows

/// An installation on an empty database of its own, with one account.
struct TestInstallation {
  static let visitor = Visitor(requestID: "test", address: "127.0.0.1", userAgent: "tests")

  let here: Installation
  let time: TestClock
  let database: any Database
  let kek: KeyEncryptionKey
  let account: Account

  init() async throws {
    (database, kek, time) = (try await TestDatabase.make(), .random(), TestClock())
    here = try await Self.open(database, kek, time)
    let account = Account(id: .random(), name: "Ana", username: "ana", role: .person, createdAt: time.now)
    self.account = account
    try await here.store.write { try $0.insert(account) }
  }

  /// The same database, opened by the next run of the program.
  init(after earlier: TestInstallation) async throws {
    (database, kek, account, time) = (earlier.database, earlier.kek, earlier.account, earlier.time)
    here = try await Self.open(database, kek, time)
  }

  private static func open(
    _ database: any Database, _ kek: KeyEncryptionKey, _ time: TestClock
  ) async throws -> Installation {
    let store = Store(database)
    try await store.migrate()
    let vault = try await OpenVault.open(store, with: kek, at: time.now)
    // The simulator's demo app is registered for this address.
    return try await Installation(
      issuer: "http://localhost:8080", store: store, vault: vault, clock: time.clock,
      upstreams: Upstreams(client: OutboundClient()), log: Logger(level: .error))
  }

  var store: Store { here.store }

  /// Runs `body` while the refreshes that it asks for are carried out.
  func refreshing<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
    let here = here
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await RefreshCredentials(here).run() }
      defer { here.close() }
      return try await body()
    }
  }

  func refresh(_ id: CredentialID) async -> Ended { Ended(await here.refreshes.refresh(id, at: here.clock.now())) }

  /// How one refresh ends.
  func refreshOnce(_ id: CredentialID) async throws -> Ended {
    try await refreshing { [self] in await refresh(id) }
  }

  /// Lets a caller's pause after a failure pass.
  func passPause() { time.advance(by: 2) }

  func held(_ id: CredentialID) async throws -> Credential? {
    try await store.read { try $0.sealedCredential(id)?.0 }
  }

  /// The tokens that the store holds.
  func tokens(of id: CredentialID) async throws -> UpstreamTokens {
    let found = try await store.read { tx in
      try tx.sealedCredential(id).flatMap { held in try tx.connection(held.0.connection).map { (held.0, held.1, $0) } }
    }
    let (credential, sealed, connection) = try #require(found)
    return try here.unseal(sealed, of: credential, connection)
  }

  func attempt(of id: CredentialID) async throws -> RefreshAttempt? {
    try await store.read { try $0.refreshAttempt(of: id) }
  }

  /// The tokens that wait in the outbox.
  func outbox() async throws -> [Revocation] {
    let account = account.id
    return try await store.read { try $0.revocations(of: account) }
  }

  /// How often the audit log tells of `name`.
  func count(_ name: AuditEvent.Name) async throws -> Int {
    try await store.read { try $0.auditRecords(limit: 1000).count { $0.event.name == name } }
  }

  /// Writes down that a refresh was begun `secondsAgo`, whose holder never came back.
  func interrupt(_ id: CredentialID, posts: Int64 = 1, leaseLeft: Int64 = 0) async throws -> RefreshAttempt {
    let (attempt, lease) = (RefreshAttemptID.random(), time.now + leaseLeft)
    try await store.write { tx in
      let generation = try #require(try tx.sealedCredential(id)?.0.generation)
      #expect(try tx.beginRefresh(attempt, of: id, generation: generation, leaseUntil: lease))
    }
    let begun = try #require(try await self.attempt(of: id))
    if posts > 1 { try await store.write { try $0.releaseLease(of: begun, posts: posts, at: lease) } }
    return try #require(try await self.attempt(of: id))
  }
}

/// How a refresh ended, without its texts.
enum Ended: Equatable {
  case refreshed
  case reauthRequired
  case failed
  case gone

  init(_ outcome: RefreshOutcome) {
    switch outcome {
    case .refreshed: self = .refreshed
    case .reauthRequired: self = .reauthRequired
    case .failed: self = .failed
    case .gone: self = .gone
    }
  }
}

// MARK: - Credentials

extension TestInstallation {
  /// Stores a connection to a server on this machine.
  func connection(_ kind: Connection.Kind, to server: TestServer, named name: String = "demo") async throws
    -> Connection
  {
    var connection = Connection(
      id: try #require(ConnectionID(name)), name: name, kind: kind, origin: server.origin,
      clientID: "gatehouse-demo", createdAt: time.now)
    connection.reach.hosts = [server.hostAndPort]
    connection.resources = [try #require(ResourcePattern(server.origin))]
    let made = connection
    try await store.write { try $0.insert(made, clientSecret: nil) }
    return made
  }

  /// Puts a credential with `tokens` in.
  func put(
    _ tokens: UpstreamTokens, at connection: Connection, of owner: AccountID? = nil
  ) async throws -> Credential {
    let credential = Credential(
      id: .random(), account: owner ?? account.id, connection: connection.id,
      identity: UpstreamIdentity(
        connection: connection.id, issuer: connection.origin, subject: "ana", displayName: "ana"),
      state: .active, generation: 1, accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: tokens.refreshExpiresAt,
      canRefresh: tokens.refreshToken != nil, connectedAt: time.now, refreshedAt: time.now, lastUsedAt: nil)
    let sealed = try here.seal(tokens, of: credential.id, credential.account, connection)
    try await store.write { try $0.put(credential, tokens: sealed) }
    return credential
  }

  /// A credential at a rotating provider, whose access token has run out.
  func credential(at provider: TestProvider) async throws -> Credential {
    let connection = try await connection(.oidc, to: provider.server)
    return try await put(
      UpstreamTokens(
        accessToken: Secret("access-0"), accessExpiresAt: time.now, refreshToken: Secret("refresh-0")),
      at: connection)
  }

  /// A credential of somebody who signed in at a portal, whose access token has run out meanwhile.
  func credential(at portal: TestPortal) async throws -> Credential {
    let connection = try await connection(.oauthUser, to: portal.server)
    let registration = try await here.registration(for: connection)
    let signedIn = try await portal.signIn(registration, here.upstreams.portals, at: time.now)
    let credential = try await put(signedIn.tokens, at: connection)
    time.advance(by: 1801)
    return credential
  }
}

// MARK: - Vending

extension TestInstallation {
  /// What an app asks for that the person allowed to use the connection.
  func vendRequest(for resource: String, at connection: Connection) async throws -> VendRequest {
    let client = Client(
      id: .random(), name: "Map", kind: .confidential, redirectURIs: [], grants: [.tokenExchange],
      scope: try #require(Scope("vend")), permissions: [.init(connection: connection.id, handsOutRawTokens: true)],
      createdAt: time.now)
    let consent = Consent(
      account: account.id, client: client.id, scope: client.scope, connections: [connection.id], givenAt: time.now)
    try await store.write {
      try $0.insert(client)
      try $0.put(consent)
    }
    return VendRequest(
      client: client.id, account: account.id, resource: try #require(ResourceURL(resource)), minimumLifetime: 0)
  }
}
