import Domain
import Testing

@Suite("An API key of a client")
struct ClientAPIKeyTests {
  private static let now = Timestamp(seconds: 1_767_225_600)

  private static func connection(_ text: String) throws -> ConnectionID { try #require(ConnectionID(text)) }

  private static func key(
    kind: ClientAPIKey.Kind = .secret, scope: APIKeyScope = APIKeyScope(connections: []),
    limits: APIKeyLimits = APIKeyLimits(), slots: [ClientAPIKey.Slot] = [], revokedAt: Timestamp? = nil
  ) -> ClientAPIKey {
    ClientAPIKey(
      id: APIKeyID(random: "k"), client: ClientID(random: "c"), name: "Night", kind: kind, scope: scope, limits: limits,
      createdAt: now, revokedAt: revokedAt, slots: slots)
  }

  private static func slot(_ number: Int64, expiresAt: Timestamp = now + 10, revokedAt: Timestamp? = nil)
    -> ClientAPIKey.Slot
  {
    ClientAPIKey.Slot(
      number: number, code: [1], pepperID: "p", createdAt: now, expiresAt: expiresAt, revokedAt: revokedAt)
  }

  @Test(
    "reaches what its scope says and nothing beside it",
    arguments: [
      ("https://a.example/maps/one", "maps", "GET", true), ("https://a.example/maps", "maps", nil, true),
      ("https://a.example/mapsnot", "maps", "GET", false), ("https://a.example/", "maps", "GET", false),
      ("https://b.example/maps", "maps", "GET", false), ("https://a.example/maps", "other", "GET", false),
      ("https://a.example/maps", "maps", "POST", false), ("https://a.example/maps", "maps", "get", false),
    ] as [(String, String, String?, Bool)])
  func scope(_ url: String, _ connection: String, _ method: String?, _ isReached: Bool) throws {
    let scope = APIKeyScope(
      connections: [try Self.connection("maps")], resources: [try #require(ResourcePattern("https://a.example/maps"))],
      methods: ["GET", "HEAD"])
    let refusal = scope.refusal(
      for: try #require(ResourceURL(url)), of: try Self.connection(connection), method: method)
    #expect((refusal == nil) == isReached)
    #expect(refusal.map(\.code) ?? .insufficientScope == .insufficientScope)
  }

  @Test("may hold the upstream's token only if nothing narrows it to less")
  func wholeness() throws {
    let maps = [try Self.connection("maps")]
    #expect(Self.key(scope: APIKeyScope(connections: maps)).mayHoldRawTokens)
    #expect(!Self.key(kind: .publishable, scope: APIKeyScope(connections: maps)).mayHoldRawTokens)
    for narrow in [
      APIKeyScope(connections: maps, resources: [try #require(ResourcePattern("a.example"))]),
      APIKeyScope(connections: maps, methods: ["GET"]), APIKeyScope(connections: maps, longestAnswer: 1),
    ] {
      #expect(!Self.key(scope: narrow).mayHoldRawTokens)
    }
  }

  @Test(
    "makes tokens for what it is itself for and for less",
    arguments: [
      (less { _ in }, nil), (less { $0.connections = [] }, "scope.connections"),
      (less { $0.connections = [ConnectionID("other")].compactMap(\.self) }, "scope.connections"),
      (less { $0.resources = patterns("https://a.example/maps/one", "https://a.example/maps") }, nil),
      (less { $0.resources = patterns("https://a.example/maps", "https://a.example/mapsnot") }, "scope.resources"),
      (less { $0.resources = patterns("a.example") }, "scope.resources"),
      (less { $0.resources = [] }, "scope.resources"),
      (less { $0.methods = ["GET"] }, nil), (less { $0.methods = ["GET", "POST"] }, "scope.methods"),
      (less { $0.methods = [] }, "scope.methods"), (less { $0.longestAnswer = 10 }, nil),
      (less { $0.longestAnswer = 11 }, "scope.longest_answer"),
      (less { $0.referrers = patterns("https://page.example/1", "deep.page.example") }, "limits.referrers"),
      (less { $0.referrers = patterns("https://page.example/1") }, nil), (less { $0.networks = [] }, nil),
    ] as [(APIKeyNarrowing, String?)])
  func narrowing(_ narrowing: APIKeyNarrowing, _ member: String?) throws {
    let key = Self.key(
      scope: APIKeyScope(
        connections: [try Self.connection("maps")], resources: Self.patterns("https://a.example/maps"),
        methods: ["GET", "HEAD"], longestAnswer: 10),
      limits: APIKeyLimits(referrers: Self.patterns("page.example")))
    #expect(narrowing.excess(over: key) == member)
    let token = APIKeyToken(
      id: APIKeyTokenID(random: "t"), key: key.id, slot: 1, expiresAt: Self.now + 5, narrowing: narrowing)
    let narrowed = key.narrowed(to: token)
    #expect(narrowed.scope.methods == narrowing.methods ?? ["GET", "HEAD"])
    #expect(narrowed.ending(of: Self.slot(1), at: Self.now + 4) == nil)
    #expect(narrowed.ending(of: Self.slot(1), at: Self.now + 5) == .tokenExpired)
    #expect(narrowed.shownID == "key_k, child_t" && key.shownID == "key_k")
    #expect(!Self.key(scope: APIKeyScope(connections: [])).narrowed(to: token).mayHoldRawTokens)
  }

  private static func less(_ change: (inout APIKeyNarrowing) -> Void) -> APIKeyNarrowing {
    var narrowing = APIKeyNarrowing()
    change(&narrowing)
    return narrowing
  }

  private static func patterns(_ texts: String...) -> [ResourcePattern] { texts.compactMap { ResourcePattern($0) } }

  @Test(
    "is within another pattern when that covers all of it",
    arguments: [
      ("https://a.example/x", "https://a.example", true), ("https://a.example/x", "a.example", true),
      ("https://a.example/x", "*.example", true), ("http://a.example/x", "a.example", false),
      ("a.example", "https://a.example", true), ("a.example", "https://a.example/x", false),
      ("*.b.example", "*.example", true), ("*.example", "*.b.example", false), ("*.example", "a.example", false),
      ("https://a.example/xy", "https://a.example/x", false), ("https://a.example:8443/x", "a.example", false),
    ])
  func patternWithin(_ one: String, _ other: String, _ isWithin: Bool) throws {
    let (one, other) = (try #require(ResourcePattern(one)), try #require(ResourcePattern(other)))
    #expect(one.isWithin(other) == isWithin && one.isWithin(one))
  }

  @Test("puts the next secret where none works")
  func slots() throws {
    let (live, past, ended) = (Self.slot(1), Self.slot(2, expiresAt: Self.now), Self.slot(1, revokedAt: Self.now))
    #expect(try Self.key().nextSlot(at: Self.now) == 1)
    #expect(try Self.key(slots: [live]).nextSlot(at: Self.now) == 2)
    #expect(try Self.key(slots: [live, past]).nextSlot(at: Self.now) == 2)
    #expect(try Self.key(slots: [ended, Self.slot(2)]).nextSlot(at: Self.now) == 1)
    #expect(throws: Refusal.self) { try Self.key(slots: [live, Self.slot(2)]).nextSlot(at: Self.now) }
  }

  @Test("says whether it was revoked or has expired")
  func ending() {
    let (live, past) = (Self.slot(1), Self.slot(2, expiresAt: Self.now))
    let key = Self.key(slots: [live, past])
    #expect(key.ending(of: live, at: Self.now) == nil)
    #expect(key.ending(of: past, at: Self.now) == .expired)
    #expect(Self.key(revokedAt: Self.now).ending(of: live, at: Self.now) == .revoked)
    let ended = Self.slot(1, revokedAt: Self.now)
    #expect(key.ending(of: ended, at: Self.now) == .revoked)
    #expect(ClientAPIKey.Ending.allCases.allSatisfy { $0.refusal.code == .invalidToken })
  }

  @Test(
    "keeps honest pages to its referrers",
    arguments: [
      ("https://app.example/maps/1?a=b", true), ("https://app.example/maps", true), ("https://app.example/", false),
      ("https://app.example.evil.example/maps", false), ("nonsense", false), (nil, false),
    ] as [(String?, Bool)])
  func referrers(_ referrer: String?, _ isAllowed: Bool) throws {
    let limits = APIKeyLimits(referrers: [try #require(ResourcePattern("https://app.example/maps"))])
    #expect(limits.allows(referrer: referrer) == isAllowed)
    #expect(APIKeyLimits().allows(referrer: referrer))
  }

  @Test("is objected to with everything that is wrong with it")
  func objections() throws {
    let maps = try Self.connection("maps")
    let owner = Client(
      id: ClientID(random: "c"), name: "App", kind: .public, redirectURIs: [], grants: [], scope: .none,
      permissions: [Client.Permission(connection: maps, handsOutRawTokens: true)], createdAt: Self.now)
    let people = Connection(
      id: maps, name: "Maps", kind: .oauthUser, origin: "https://gis.example", clientID: "x", createdAt: Self.now)
    let wrong = Self.key(
      scope: APIKeyScope(connections: [maps, try Self.connection("none")], methods: ["BREW"], longestAnswer: 0),
      limits: APIKeyLimits(perMinute: 0, perDay: -1))
    #expect(
      wrong.objections(owner, [people]).map(\.field) == [
        "kind", "connection", "connection", "method", "longest_answer", "per_minute", "per_day",
      ])
    let writing = Self.key(kind: .publishable, scope: APIKeyScope(connections: [], methods: ["GET", "POST"]))
    #expect(writing.objections(owner, []).map(\.field) == ["method", "connection"])
  }
}
