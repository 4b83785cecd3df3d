import Domain
import SQL
import Storage
import Testing

@Suite("What is put into the store comes out as it was")
struct StoreTests {
  static let session = BrowserSession(
    hash: Samples.hash(9), account: Samples.ana.id, kind: .administrator, authenticatedAt: Samples.now - 5,
    lastSeenAt: Samples.now, userAgent: "Firefox \u{1F98A}")
  static let request = {
    var request = AuthorizationRequest(
      client: Samples.client().id,
      to: .client(redirectURI: "https://app.example/back", state: "s\u{1}t\u{E9}\n"), scope: Scope("vend") ?? .none,
      codeChallenge: "challenge", prompt: .loginAndConsent)
    request.dpopKey = "thumbprint"
    request.responseMode = .formPost
    return request
  }()

  @Test("accounts", arguments: TestDatabase.available)
  func accounts(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    #expect(try await !store.read { try $0.hasAdministrator() })
    try await store.insertBasics()
    try await store.read { tx throws in
      #expect(try tx.account(Samples.ana.id) == Samples.ana)
      #expect(try tx.account(username: "ana") == Samples.ana)
      #expect(try tx.account(username: "Ana") == nil)
      #expect(try tx.accounts() == [Samples.ana, Samples.ben])
      #expect(try tx.countAccounts() == 2)
      #expect(try tx.hasAdministrator())
      #expect(try tx.hasActiveAdministrator(besides: Samples.ben.id))
      #expect(try !tx.hasActiveAdministrator(besides: Samples.ana.id))
      #expect(try tx.accounts(after: .start, limit: 1, at: Samples.now).map(\.account) == [Samples.ana])
      let place = ListPosition(name: "Ana", id: Samples.ana.id.text)
      #expect(try tx.accounts(after: place, limit: 5, at: Samples.now).map(\.account) == [Samples.ben])
    }
    let twin = Account(id: AccountID(random: "twin"), name: "A", username: "ana", role: .person, createdAt: Samples.now)
    await #expect(throws: DatabaseError.duplicate) { try await store.write { try $0.insert(twin) } }
  }

  @Test("disabling an account ends its sessions and tokens", arguments: TestDatabase.available)
  func disabling(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    try await store.write {
      try $0.insert(Self.session)
      try $0.insert(Samples.family())
      try $0.setAccount(Samples.ana.id, disabled: true, at: Samples.now)
    }
    try await store.read { tx throws in
      #expect(try tx.account(Samples.ana.id)?.isDisabled == true)
      #expect(try tx.sessions(of: Samples.ana.id).isEmpty)
      #expect(try tx.family(Samples.family().id)?.isRevoked == true)
      #expect(try tx.tokenHasEnded("jti", family: Samples.family().id))
    }
    try await store.write { try $0.setAccount(Samples.ana.id, disabled: false, at: Samples.now) }
    #expect(try await store.read { try $0.account(Samples.ana.id) } == Samples.ana)
  }

  @Test("passwords and identities", arguments: TestDatabase.available)
  func identities(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let connection = Samples.connection().id
    let ana = UpstreamIdentity(connection: connection, issuer: "i", subject: "ana", displayName: "Ana A.")
    let other = UpstreamIdentity(connection: connection, issuer: "i", subject: "other", displayName: "Other")
    try await store.write { tx in
      try tx.setPasswordHash("one", of: Samples.ana.id, at: Samples.now)
      try tx.setPasswordHash("two", of: Samples.ana.id, at: Samples.now)
      try tx.rehashPassword("new", of: Samples.ana.id, insteadOf: "two")
      try tx.rehashPassword("late", of: Samples.ana.id, insteadOf: "two")
      try tx.link(ana, to: Samples.ana.id, at: Samples.now)
      try tx.link(other, to: Samples.ana.id, at: Samples.now)
    }
    try await store.read { tx throws in
      #expect(try tx.password(of: Samples.ana.id) == StoredPassword(hash: "new", changedAt: Samples.now))
      #expect(try tx.password(of: Samples.ben.id) == nil)
      #expect(try tx.account(of: ana) == Samples.ana)
      #expect(try tx.otherIdentity(than: ana, of: Samples.ana.id) == other)
      #expect(try tx.otherIdentity(than: ana, of: Samples.ben.id) == nil)
    }
    try await store.write { tx in
      try tx.unlinkOtherIdentities(than: ana, of: Samples.ana.id)
      try tx.link(ana, to: Samples.ben.id, at: Samples.now)
    }
    try await store.read { tx throws in
      #expect(try tx.account(of: other) == nil)
      #expect(try tx.account(of: ana) == Samples.ben)
    }
  }

  @Test("subjects that Swift takes for equal are different people", arguments: TestDatabase.available)
  func lookalikes(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    @Sendable func identity(_ subject: String) -> UpstreamIdentity {
      UpstreamIdentity(connection: Samples.connection().id, issuer: "i", subject: subject, displayName: "x")
    }
    try await store.write { try $0.link(identity("\u{E9}"), to: Samples.ana.id, at: Samples.now) }
    #expect(try await store.read { try $0.account(of: identity("e\u{301}")) } == nil)
  }

  @Test("sessions", arguments: TestDatabase.available)
  func sessions(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    try await store.write { try $0.insert(Self.session) }
    let found = try #require(try await store.read { try $0.session(Self.session.hash) })
    #expect(found.session == Self.session && found.account == Samples.ana)
    #expect(try await store.read { try $0.sessions(of: Samples.ana.id) } == [Self.session])
    #expect(try await store.read { try $0.countLiveSessions(at: Samples.now) } == 1)
    #expect(try await store.write { try $0.deleteSessions(signedInBefore: Samples.now - 5) } == 0)
    #expect(try await store.write { try $0.deleteSessions(signedInBefore: Samples.now - 4) } == 1)
    #expect(try await !store.write { try $0.deleteSession(Self.session.hash) })
  }

  @Test("connections", arguments: TestDatabase.available)
  func connections(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    var full = Connection(
      id: Samples.connection("full").id, name: "Full", kind: .token, origin: "https://login.example", clientID: "c 1",
      createdAt: Samples.now)
    full.hasClientSecret = true
    full.resources = ["https://gis.example.org/a", "*.example.org"].compactMap { ResourcePattern($0) }
    full.reach = Reach(hosts: ["localhost:8090", "[::1]:80"], networks: ["10.0.0.0/8"], allowsHTTP: true)
    full.admission = .listed
    full.admitted = ["ana", "\u{C4}nne"]
    full.portal = PortalOptions(
      refreshTokenMinutes: -1, exchangeBelowSeconds: 5, federatedTokenMinutes: 7, locale: "de", style: "dark",
      forcesLogin: true)
    full.portal.tokenMinutes = 9
    full.portal.tokenURL = "https://gis.example.org/arcgis/tokens/"
    full.scopes = ["openid", "profile"]
    full.revision = 4
    let before = store.configurationVersion
    let stored = full
    try await store.write {
      try $0.insertKEK(id: Samples.kek, checkValue: [1], at: Samples.now)
      try $0.insert(stored, clientSecret: Samples.sealed(3))
      try $0.insert(Samples.connection(), clientSecret: nil)
    }
    #expect(store.configurationVersion > before)
    try await store.read { tx throws in
      #expect(try tx.connection(stored.id) == stored)
      #expect(try tx.connections() == [stored, Samples.connection()])
      #expect(try tx.connectionSecret(stored.id) == Samples.sealed(3))
      #expect(try tx.connectionSecret(Samples.connection().id) == nil)
    }
    await #expect(throws: DatabaseError.duplicate) {
      try await store.write { try $0.insert(stored, clientSecret: nil) }
    }
    #expect(try await store.write { try $0.setConnection(stored.id, disabled: true, at: Samples.now) })
    #expect(try await store.read { try $0.connection(stored.id)?.isDisabled } == true)
  }

  @Test("keeps what only application proxies have", arguments: TestDatabase.available)
  func applicationProxy(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    var connection = Connection(
      id: Samples.connection("proxy").id, name: "Proxy", kind: .iap, origin: "https://login.example/t/v2.0",
      clientID: "c", createdAt: Samples.now)
    connection.resources = ["*.contoso.com", "*"].compactMap { ResourcePattern($0, allowsEveryHost: true) }
    connection.iap = IAPOptions(
      authorizeURL: "https://login.example/t/oauth2/v2.0/authorize",
      tokenURL: "https://login.example/t/oauth2/v2.0/token",
      logoutURL: "https://login.example/t/oauth2/v2.0/logout", prompt: "login", tenants: ["a", "b"])
    let stored = connection
    try await store.write { try $0.insert(stored, clientSecret: nil) }
    #expect(try await store.read { try $0.connection(stored.id) } == stored)
  }

  @Test("a connection is deleted only when nothing of it lives on", arguments: TestDatabase.available)
  func deletingConnections(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    try await store.write { try $0.insert(Samples.revocation("r"), tokens: Samples.sealed()) }
    let id = credential.connection
    #expect(try await store.read { try $0.countRemains(of: id) } == 2)
    #expect(try await !store.write { try $0.deleteEmptyConnection(id) })
    try await store.write {
      _ = try $0.closeCredential(credential.id, of: credential.account)
      try $0.shredClosedCredential(credential.id)
    }
    #expect(try await !store.write { try $0.deleteEmptyConnection(id) })
    try await store.write { try $0.deleteRevocation(Samples.revocation("r").id) }
    #expect(try await store.write { try $0.deleteEmptyConnection(id) })
    #expect(try await store.read { try $0.connection(id) } == nil)
  }

  @Test("a client's options, every one of them", arguments: TestDatabase.available)
  func clientOptions(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    var one = ClientOptions()
    one.profile = .fapi2
    one.authentication = .tlsAuthority
    one.keys = .inline(#"{"keys":[]}"#)
    one.certificateSubject = CertificateSubject(field: .dnsName, value: "app.example")
    one.idTokenAlgorithm = "PS256"
    one.requiresDPoP = true
    one.bindsToCertificate = true
    one.requiresPushedRequests = true
    one.takesEndpointAudience = true
    one.postLogoutRedirectURIs = ["https://app.example/out", "http://127.0.0.1/out"].compactMap { RedirectURI($0) }
    one.backchannelLogoutURI = "https://app.example/logout"
    one.backchannelNeedsSession = true
    var other = ClientOptions()
    other.authentication = .privateKeyJWT
    other.keys = .at("https://app.example/keys")
    for (name, options) in [("one", one), ("other", other), ("plain", ClientOptions())] {
      let client = Samples.client(name, options: options)
      try await store.write { try $0.insert(client) }
      #expect(try await store.read { try $0.client(client.id) } == client)
    }
  }

  @Test("clients, their secrets and permissions", arguments: TestDatabase.available)
  func clients(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let client = Samples.client(
      "two", permissions: [.init(connection: Samples.connection().id, handsOutRawTokens: true)])
    try await store.write { try $0.insert(client) }
    try await store.read { tx throws in
      #expect(try tx.client(client.id) == client)
      #expect(try tx.clients() == [Samples.client(), client])
      #expect(try tx.clients(after: .start, limit: 1).map(\.client) == [Samples.client()])
      #expect(try tx.clients(permitted: Samples.connection().id).map(\.id) == [client.id])
      #expect(try tx.countClients() == 2)
    }
    try await store.write { try $0.setSecret(Samples.hash(1), of: client.id, at: Samples.now) }
    let hadOne = try await store.write {
      try $0.addSecret(Samples.hash(2), of: client.id, at: Samples.now + 1, previousEndsAt: Samples.now + 10)
    }
    #expect(hadOne)
    let secrets = try await store.read { try $0.secrets(of: client.id) }
    #expect(
      secrets == [
        ClientSecret(hash: Samples.hash(1), expiresAt: Samples.now + 10),
        ClientSecret(hash: Samples.hash(2), expiresAt: nil),
      ])
    #expect(try await store.read { try $0.secretEntries(of: client.id, at: Samples.now + 10) }.count == 1)
    #expect(try await store.write { try $0.setClient(client.id, disabled: true, at: Samples.now) })
    #expect(try await store.read { try $0.client(client.id)?.isDisabled } == true)
  }

  @Test("consents", arguments: TestDatabase.available)
  func consents(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let (maps, map) = (Samples.connection("maps").id, Samples.connection("map").id)
    @Sendable func consent(_ connections: [ConnectionID]) -> Consent {
      Consent(
        account: Samples.ana.id, client: Samples.client().id, scope: Scope("vend") ?? .none, connections: connections,
        givenAt: Samples.now)
    }
    try await store.write { tx in
      try tx.put(consent([]))
      try tx.put(consent([maps, Samples.connection("other").id]))
    }
    try await store.read { tx throws in
      #expect(
        try tx.consent(of: Samples.ana.id, for: Samples.client().id)?.connections.map(\.text) == ["maps", "other"])
      #expect(try tx.consents(naming: maps, limit: 5).count == 1)
      #expect(try tx.consents(naming: map, limit: 5).isEmpty)
    }
    try await store.write { try $0.withdrawConsents(of: Samples.ana.id, to: maps, at: Samples.now) }
    #expect(try await store.read { try $0.consents(naming: maps, limit: 5) }.isEmpty)
    #expect(try await store.write { try $0.deleteConsent(of: Samples.ana.id, for: Samples.client().id) })
    #expect(try await !store.write { try $0.deleteConsent(of: Samples.ana.id, for: Samples.client().id) })
  }

  @Test("authorization requests and trips to an upstream", arguments: TestDatabase.available)
  func requests(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let trips = [Samples.attempt(1), Samples.attempt(2, purpose: .connect(Samples.ana.id))]
    try await store.write { tx in
      try tx.insert(Self.request, hash: Samples.hash(1), at: Samples.now)
      for trip in trips { try tx.insert(trip, secrets: Samples.sealed()) }
    }
    let found = try await store.read { try $0.authorizationRequest(Samples.hash(1), at: Samples.now) }
    #expect(found?.request == Self.request && found?.createdAt == Samples.now)
    let end = Samples.now + AuthorizationRequest.lifetime
    #expect(try await store.read { try $0.authorizationRequest(Samples.hash(1), at: end) } == nil)
    #expect(try await !store.write { try $0.finishAuthorizationRequest(Samples.hash(1), at: end) })
    for trip in trips {
      let (hash, browser) = (trip.stateHash, trip.browser)
      #expect(
        try await store.write { try $0.consumeSignInAttempt(hash, browser: Samples.hash(77), at: Samples.now) } == nil)
      #expect(try await store.write { try $0.consumeSignInAttempt(hash, browser: browser, at: trip.expiresAt) } == nil)
      #expect(try await store.read { try $0.finishedSignInAttempt(hash, browser: browser) } == nil)
      let back = try await store.write { try $0.consumeSignInAttempt(hash, browser: browser, at: Samples.now) }
      #expect(back?.0 == trip && back?.1 == Samples.sealed())
      #expect(try await store.read { try $0.finishedSignInAttempt(hash, browser: browser) } == trip)
      #expect(try await store.read { try $0.finishedSignInAttempt(hash, browser: Samples.hash(77)) } == nil)
    }
  }

  @Test("keys and what they seal", arguments: TestDatabase.available)
  func keys(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertCredential()
    try await store.write { tx in
      try tx.insert(PurposeKey(id: "p2", purpose: "pages", sealed: Samples.sealed(2)), at: Samples.now + 1)
      try tx.insert(PurposeKey(id: "p1", purpose: "pages", sealed: Samples.sealed(1)), at: Samples.now)
      for (id, age) in [("s1", Int64(5)), ("s2", 0)] {
        try tx.insert(
          StoredSigningKey(
            id: id, algorithm: "ES256", publicKey: [1], sealed: Samples.sealed(3), createdAt: Samples.now - age,
            signsFrom: Samples.now - age + 60))
      }
    }
    try await store.read { tx throws in
      #expect(try tx.kekCheckValues().map(\.id) == [Samples.kek])
      #expect(try tx.kekCheckValues().map(\.checkValue) == [[1, 2, 3]])
      #expect(try tx.purposeKeys().map(\.id) == ["p1", "p2"])
      #expect(try tx.purposeKeys().map(\.sealed) == [Samples.sealed(1), Samples.sealed(2)])
      #expect(try tx.signingKeys().map(\.id) == ["s1", "s2"])
      #expect(try tx.signingKeys().last?.sealed == Samples.sealed(3))
      #expect(try tx.signingKeys().last?.signsFrom == Samples.now + 60)
      let counts = try Dictionary(uniqueKeysWithValues: tx.sealedCounts().map { ($0.table, $0.count) })
      #expect(counts == ["purpose_key": 2, "signing_key": 2, "credential": 1])
    }
    try await store.write { try $0.deleteSigningKey("s1") }
    #expect(try await store.read { try $0.signingKeys().map(\.id) } == ["s2"])
  }

  @Test("the outbox", arguments: TestDatabase.available)
  func outbox(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let (due, later) = (Samples.revocation("due"), Samples.revocation("later", dueAt: Samples.now + 1))
    try await store.write { tx in
      try tx.insert(due, tokens: Samples.sealed(4))
      try tx.insert(later, tokens: Samples.sealed(5))
    }
    #expect(try await store.read { try $0.revocations(of: Samples.ana.id) } == [due, later])
    #expect(try await store.read { try $0.waitingRevocations() }.isEmpty, "nobody was asked yet")
    let taken = try await store.write { try $0.takeDueRevocations(at: Samples.now, until: Samples.now + 60) }
    #expect(taken.map(\.0.id) == [due.id] && taken.first?.0.attempts == 1 && taken.first?.1 == Samples.sealed(4))
    let waiting = try await store.read { try $0.waitingRevocations() }
    #expect(waiting.map(\.connection) == [due.connection] && waiting.map(\.count) == [1])
    #expect(waiting.map(\.endsAt) == [due.expiresAt])
    try await store.write { try $0.postpone(due.id, until: Samples.now + 500) }
    #expect(try await store.read { try $0.revocations(of: Samples.ana.id) }.last?.nextAttemptAt == Samples.now + 500)
    #expect(try await store.write { try $0.deleteRevocation(due.id) })
    #expect(try await !store.write { try $0.deleteRevocation(due.id) })
  }
}
