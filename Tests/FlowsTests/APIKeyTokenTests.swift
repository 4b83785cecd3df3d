import Crypto
import Domain
import Storage
import Testing

@testable import Flows

@Suite("API keys as they are shown, and their tokens")
struct APIKeyTokenTests {
  private let test: TestInstallation
  private let client: Client
  private let connection: Connection

  init() async throws {
    test = try await TestInstallation()
    connection = Connection(
      id: try #require(ConnectionID("maps")), name: "Maps", kind: .oauthApplication, origin: "https://maps.example",
      clientID: "app", createdAt: test.time.now)
    client = Client(
      id: .random(), name: "Jobs", kind: .confidential, redirectURIs: [], grants: [.clientCredentials],
      scope: try #require(Scope("vend")), permissions: [.init(connection: connection.id, handsOutRawTokens: true)],
      createdAt: test.time.now)
    let (client, connection) = (client, connection)
    try await test.store.write {
      try $0.insert(connection, clientSecret: nil)
      try $0.insert(client)
    }
  }

  private var scope: APIKeyScope { APIKeyScope(connections: [connection.id], methods: ["GET", "POST"]) }

  private func make() async throws -> (key: ClientAPIKey, text: Secret) {
    try await ManageAPIKeys(test.here).create(
      .init(name: "Night", kind: .secret, scope: scope, limits: APIKeyLimits(), days: 1), for: client.id, by: nil,
      TestInstallation.visitor)
  }

  private func show(_ text: Secret) async throws -> ClientAPIKey {
    let shown = AuthenticateAPIKey.Shown(text.revealedText, referrer: nil, address: "127.0.0.1")
    let authenticate = AuthenticateAPIKey(test.here)
    if let known = try authenticate.atOnce(shown) { return known.key }
    return try await authenticate(shown, TestInstallation.visitor).key
  }

  private func refusal(of text: Secret) async -> String {
    do { _ = try await show(text) } catch { return (error as? Refusal)?.description ?? "\(error)" }
    return ""
  }

  private func token(of text: Secret, lifetime: Int64? = nil, _ methods: [String]? = nil) async throws -> Secret {
    var narrowing = APIKeyNarrowing()
    narrowing.methods = methods
    return try await IssueAPIKeyToken(test.here)(
      narrowing, lifetime: lifetime, of: show(text), TestInstallation.visitor
    ).text
  }

  @Test("a token is good for its minutes, and never longer than its secret")
  func lifetime() async throws {
    let made = try await make()
    let token = try await token(of: made.text, ["GET"])
    #expect(try await show(token).scope.methods == ["GET"])
    test.time.advance(by: APIKeyToken.ordinaryLifetime - 1)
    #expect(try await show(token).token != nil)
    test.time.advance(by: 1)
    #expect(await refusal(of: token).contains("has expired"))
    test.time.advance(by: 24 * 3600 - APIKeyToken.ordinaryLifetime - 10)
    let last = try await self.token(of: made.text, lifetime: 3600)
    #expect(try await show(last).token?.expiresAt == made.key.slots[0].expiresAt)
    #expect(try await test.count(.apiKeyTokenIssued) == 2)
  }

  @Test("a token of another installation, or with another purpose's key, is none")
  func forged() async throws {
    let made = try await make()
    let other = try await TestInstallation()
    let token = APIKeyToken(
      id: .random(), key: made.key.id, slot: 1, expiresAt: test.time.now + 60, narrowing: APIKeyNarrowing())
    let foreign = HeldAPIKeyToken.text(of: token, made.key.slots[0], other.here.purposeKeys)
    #expect(await refusal(of: foreign) == "There is no such API key.")
    let genuine = HeldAPIKeyToken.text(of: token, made.key.slots[0], test.here.purposeKeys)
    #expect(try await show(genuine).token == token)
    // With the code of another secret it is another token.
    let slot = ClientAPIKey.Slot(
      number: 1, code: Array(repeating: 7, count: 32), pepperID: "p", createdAt: test.time.now,
      expiresAt: test.time.now + 60)
    #expect(await refusal(of: HeldAPIKeyToken.text(of: token, slot, test.here.purposeKeys)) != "")
  }

  @Test("a token that is for more than its key is by now counts no more")
  func outgrown() async throws {
    let made = try await make()
    var narrowing = APIKeyNarrowing()
    narrowing.networks = ["10.0.0.0/8"]
    let token = APIKeyToken(
      id: .random(), key: made.key.id, slot: 1, expiresAt: test.time.now + 60, narrowing: narrowing)
    for (networks, ending) in [([], nil), (["10.0.0.0/8"], nil), (["10.1.0.0/16"], .tokenOutgrown)]
      as [([String], ClientAPIKey.Ending?)]
    {
      let key = ClientAPIKey(
        id: made.key.id, client: client.id, name: "Night", kind: .secret, scope: scope,
        limits: APIKeyLimits(networks: networks), createdAt: test.time.now, slots: made.key.slots)
      let entry = KnownAPIKeys.Entry(key: key, isClientLive: true, version: 1)
      #expect(ProvenAPIKey(entry, key.slots[0], by: token).ending(at: test.time.now) == ending, "\(networks)")
    }
  }

  @Test("what was unknown is asked for again once something has changed")
  func unknown() async throws {
    let id = APIKeyID.random()
    let held = HeldAPIKey.new(id, .secret)
    for _ in 0..<2 { #expect(await refusal(of: held.text) == "There is no such API key.") }
    let pepper = test.here.purposeKeys.current(.apiKey)
    let slot = ClientAPIKey.Slot(
      number: 1, code: pepper.mac.authenticate(held.text.revealed), pepperID: pepper.id, createdAt: test.time.now,
      expiresAt: test.time.now + 60)
    let key = ClientAPIKey(
      id: id, client: client.id, name: "Night", kind: .secret, scope: scope, limits: APIKeyLimits(),
      createdAt: test.time.now, slots: [slot])
    try await test.store.write { try $0.insert(key) }
    #expect(try await show(held.text).id == id)
  }

  @Test("one secret's end ends what was called with it, and nothing that the other called")
  func places() async throws {
    let made = try await make()
    let next = try await ManageAPIKeys(test.here).next(made.key.id, days: 1, by: nil, TestInstallation.visitor)
    let token = try await token(of: made.text)
    var places: [ProxyPlaces.Place] = []
    for text in [made.text, token, next.text] {
      let key = try await show(text)
      places.append(try test.here.proxyPlaces.take(for: .key(key), to: connection.id))
    }
    try await ManageAPIKeys(test.here).revoke(made.key.id, slot: 1, by: nil, TestInstallation.visitor)
    #expect(places.map(\.hasEnded) == [true, true, false])
    try await ManageAPIKeys(test.here).revoke(made.key.id, by: nil, TestInstallation.visitor)
    #expect(places.map(\.hasEnded) == [true, true, true])
  }
}
