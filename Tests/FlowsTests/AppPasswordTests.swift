import Domain
import Storage
import Testing

@testable import Flows

@Suite("App passwords")
struct AppPasswordTests {
  private let test: TestInstallation
  private let client: Client
  private let other: Client
  private let connection: Connection
  private let face: ArcGISFace

  init() async throws {
    test = try await TestInstallation()
    var connection = Connection(
      id: try #require(ConnectionID("maps")), name: "Maps", kind: .oauthUser, origin: "https://maps.example/portal",
      clientID: "app", createdAt: test.time.now)
    connection.resources = [try #require(ResourcePattern("https://maps.example"))]
    let made = connection
    self.connection = made
    (client, other) = (try Self.client("Python", made), try Self.client("Field map", made))
    let clients = [client, other]
    try await test.store.write { tx in
      try tx.insert(made, clientSecret: nil)
      for client in clients { try tx.insert(client) }
    }
    let end = test.time.now + 7200
    _ = try await test.put(
      UpstreamTokens(accessToken: Secret("upstream"), accessExpiresAt: end, refreshToken: nil), at: made)
    try await TakeAppPasswords(test.here)(client.id, at: made.id, by: nil, TestInstallation.visitor)
    face = try #require(try await test.here.arcGISFace(made.id))
  }

  private static func client(
    _ name: String, _ connection: Connection, kind: Client.Kind = .public, scope: String = "arcgis"
  ) throws -> Client {
    Client(
      id: .random(), name: name, kind: kind, redirectURIs: [try #require(RedirectURI("https://app.example/"))],
      grants: [.authorizationCode, .refreshToken], scope: try #require(Scope(scope)),
      permissions: [.init(connection: connection.id, handsOutRawTokens: false)],
      createdAt: Timestamp(seconds: 1_700_000_000))
  }

  private func make(for client: Client? = nil) async throws -> (password: AppPassword, text: Secret) {
    try await ManageAppPasswords(test.here).make(
      (client ?? self.client).id, at: connection.id, by: test.account.id, TestInstallation.visitor)
  }

  private func show(
    _ text: Secret, as username: String = "ana", of client: Client? = nil,
    from visitor: Visitor = TestInstallation.visitor
  ) async throws -> AppPassword {
    try await AuthenticateAppPassword(test.here)(
      .init(username: username, password: text), of: client ?? self.client, at: face, visitor)
  }

  private func token(_ password: AppPassword) async throws -> AccessTokenClaims {
    try await SignInWithAppPassword(test.here).token(
      password, client, boundTo: nil, lifetime: 3600, TestInstallation.visitor
    ).claims
  }

  private func isRefused(_ code: Refusal.Code, _ body: () async throws -> Void) async -> Bool {
    do { try await body() } catch let refusal as Refusal { return refusal.code == code } catch { return false }
    return false
  }

  @Test("a password is found again, allows its client the portal, and gives a token that ends with it")
  func life() async throws {
    let made = try await make()
    #expect(try await show(made.text, as: " ANA ").id == made.password.id)
    let consent = try await test.store.read { [client, test] in try $0.consent(of: test.account.id, for: client.id) }
    #expect(consent?.scope.text == "arcgis:maps")
    let claims = try await token(made.password)
    #expect(claims.portal == connection.id && claims.expiresAt - claims.issuedAt == 3600)
    #expect(try await test.here.isLive(claims))
    _ = try await ManageAppPasswords(test.here).end(
      made.password.id, by: test.account.id, TestInstallation.visitor)
    #expect(try await !test.here.isLive(claims))
    #expect(await isRefused(.invalidGrant) { _ = try await show(made.text) })
    #expect(await isRefused(.invalidGrant) { _ = try await token(made.password) })
    #expect(try await test.count(.appPasswordEnded) == 1)
  }

  @Test("one that is made again takes the place of the former one, with all that was given for it")
  func again() async throws {
    let first = try await make()
    let claims = try await token(first.password)
    let second = try await make()
    #expect(try await !test.here.isLive(claims))
    #expect(await isRefused(.invalidGrant) { _ = try await show(first.text) })
    #expect(try await show(second.text).id == second.password.id)
    let (entries, places) = try await ManageAppPasswords(test.here).list(of: test.account.id)
    #expect(entries.count == 1 && entries[0].isTaken && entries[0].place.isForNamelessApps)
    #expect(places.count == 2)
  }

  @Test("nobody but the account itself ends a password")
  func foreign() async throws {
    let made = try await make()
    #expect(
      await isRefused(.notFound) {
        _ = try await ManageAppPasswords(test.here).end(made.password.id, by: .random(), TestInstallation.visitor)
      })
    #expect(try await show(made.text).id == made.password.id)
  }

  @Test("what is wrong is refused alike", arguments: ["ana", "nobody", ""])
  func wrong(username: String) async throws {
    let made = try await make()
    let text = made.text.revealedText
    let changed = text.dropLast(12) + (text.hasSuffix("0") ? "1" : "0")
    for shown in ["", "correct horse battery", String(text.dropLast()), String(changed), "gh_ap_x"] {
      do {
        _ = try await show(Secret(shown), as: username)
        Issue.record("\(shown) was taken")
      } catch let refusal as Refusal {
        #expect(refusal.code == .invalidGrant && !refusal.description.contains("ana"))
      }
    }
    if username != "ana" { #expect(await isRefused(.invalidGrant) { _ = try await show(made.text, as: username) }) }
    // Of another app, or one that another installation made with the same id.
    #expect(await isRefused(.invalidGrant) { _ = try await show(made.text, of: other) })
    let forged = IdentifiedSecret.new("gh_ap_", made.password.id.random).text
    #expect(await isRefused(.invalidGrant) { _ = try await show(forged) })
    #expect(try await test.count(.appPasswordRefused) >= 1)
  }

  @Test("wrong ones are slowed by name and network; the right one never is")
  func throttle() async throws {
    let made = try await make()
    for _ in 0..<11 { #expect(await isRefused(.invalidGrant) { _ = try await show(Secret("wrong")) }) }
    #expect(await isRefused(.slowDown) { _ = try await show(Secret("wrong"), as: "Ana") })
    #expect(await isRefused(.invalidGrant) { _ = try await show(Secret("wrong"), as: "bo") })
    let elsewhere = Visitor(requestID: "test", address: "192.0.2.9", userAgent: "tests")
    #expect(await isRefused(.invalidGrant) { _ = try await show(Secret("wrong"), from: elsewhere) })
    #expect(try await show(made.text).id == made.password.id)
    #expect(await isRefused(.invalidGrant) { _ = try await show(Secret("wrong")) })
  }

  @Test(
    "ends with what it rests on: consent, account, client, connection, another person there, the administrator's leave")
  func ends() async throws {
    let (here, visitor, account) = (test.here, TestInstallation.visitor, test.account.id)
    var made = try await make()
    var claims = try await token(made.password)
    #expect(try await WithdrawConsent(here)(client.id, by: account, visitor))
    #expect(try await !here.isLive(claims))
    #expect(await isRefused(.invalidGrant) { _ = try await show(made.text) })
    // Allowing it anew, in whatever way, brings no former password back.
    let former = made.text
    made = try await make()
    #expect(await isRefused(.invalidGrant) { _ = try await show(former) })

    claims = try await token(made.password)
    try await test.store.write { [test] in try $0.setAccount(account, disabled: true, at: test.time.now) }
    #expect(try await !here.isLive(claims))
    #expect(await isRefused(.invalidGrant) { _ = try await show(made.text) })
    try await test.store.write { [test] in try $0.setAccount(account, disabled: false, at: test.time.now) }

    claims = try await token(made.password)
    try await test.store.write { [test, connection] in
      try $0.withdrawConsents(of: account, to: connection.id, at: test.time.now)
    }
    #expect(try await !here.isLive(claims))
    #expect(await isRefused(.invalidGrant) { _ = try await show(made.text) })

    made = try await make()
    claims = try await token(made.password)
    let theirs = try await make(for: other)
    try await TakeAppPasswords(here)(nil, at: connection.id, by: nil, visitor)
    #expect(try await !here.isLive(claims))
    try await TakeAppPasswords(here)(client.id, at: connection.id, by: nil, visitor)
    #expect(await isRefused(.invalidGrant) { _ = try await show(made.text) })
    #expect(await isRefused(.invalidGrant) { _ = try await show(theirs.text, of: other) })
  }

  @Test("one that is not used for 90 days ends by itself")
  func unused() async throws {
    let (used, unused) = (try await make(), try await make(for: other))
    test.time.advance(by: AppPassword.idleLifetime - 10)
    _ = try await SignInWithAppPassword(test.here).token(
      used.password, client, boundTo: nil, lifetime: 60, TestInstallation.visitor)
    try await SweepExpired(test.here)()
    let account = test.account.id
    #expect(try await test.store.read { try $0.appPasswords(of: account) }.count == 2)
    test.time.advance(by: 10)
    try await SweepExpired(test.here)()
    #expect(try await test.store.read { try $0.appPasswords(of: account) }.map(\.id) == [used.password.id])
    #expect(await isRefused(.invalidGrant) { _ = try await show(unused.text, of: other) })
    #expect(try await test.count(.appPasswordEnded) == 1)
  }

  @Test("none is made without the service, an administrator's leave, or for a client that cannot have one")
  func places() async throws {
    let (here, visitor) = (test.here, TestInstallation.visitor)
    let confidential = try Self.client("Server", connection, kind: .confidential)
    let vending = try Self.client("Vending", connection, scope: "openid")
    let more = [confidential, vending]
    try await test.store.write { tx in for client in more { try tx.insert(client) } }
    for client in more {
      #expect(await isRefused(.invalidRequest) { _ = try await make(for: client) })
      #expect(
        await isRefused(.invalidRequest) {
          try await TakeAppPasswords(here)(client.id, at: connection.id, by: nil, visitor)
        })
    }
    #expect(
      await isRefused(.invalidRequest) {
        _ = try await ManageAppPasswords(here).make(client.id, at: connection.id, by: .random(), visitor)
      })
    try await TakeAppPasswords(here)(nil, at: connection.id, by: nil, visitor)
    #expect(await isRefused(.invalidRequest) { _ = try await make() })
    #expect(try await here.appPasswordClient(named: nil, at: try #require(await here.arcGISFace(connection.id))) == nil)
  }

  @Test("an account has no more than its number, but may make one anew")
  func most() async throws {
    let clients = try (0..<AppPassword.mostOfAccount).map { try Self.client("Map \($0)", connection) }
    try await test.store.write { tx in for client in clients { try tx.insert(client) } }
    for client in clients { _ = try await make(for: client) }
    #expect(await isRefused(.invalidRequest) { _ = try await make() })
    _ = try await make(for: clients[3])
  }

  @Test("a code for a password is redeemed once, ends with it, and is not used up at another portal")
  func code() async throws {
    let (here, visitor) = (test.here, TestInstallation.visitor)
    let made = try await make()
    let sign = SignInWithAppPassword(here)
    let oob = SignInWithAppPassword.CodeRequest(redirectURI: ArcGISFace.outOfBand, challenge: nil, lasts: 3600)
    func redeem(_ code: Secret, at portal: String = "maps") async throws -> IssuedTokens {
      try await RedeemCode(here)(
        code.revealedText, verifier: nil, redirectURI: ArcGISFace.outOfBand, client,
        at: .arcGIS(try #require(ConnectionID(portal))), visitor)
    }
    let code = try await sign.code(made.password, for: oob, visitor)
    #expect(try await here.isWaiting(code: code.revealedText, at: face))
    #expect(await isRefused(.invalidGrant) { _ = try await redeem(code, at: "other") })
    let tokens = try await redeem(code)
    #expect(tokens.refreshToken != nil && tokens.scope.text == "arcgis:maps")
    #expect(try await !here.isWaiting(code: code.revealedText, at: face))
    let waiting = try await sign.code(made.password, for: oob, visitor)
    _ = try await ManageAppPasswords(here).end(made.password.id, by: test.account.id, visitor)
    #expect(await isRefused(.invalidGrant) { _ = try await redeem(waiting) })
    let refresh = try #require(tokens.refreshToken)
    #expect(
      await isRefused(.invalidGrant) {
        _ = try await RefreshTokens(here)(refresh, scope: nil, client, visitor)
      })
  }

  @Test("what a crash left of passwords that are not taken any more gives nothing, and is ended later")
  func crash() async throws {
    let (here, visitor, account) = (test.here, TestInstallation.visitor, test.account.id)
    let made = try await make()
    let oob = SignInWithAppPassword.CodeRequest(redirectURI: ArcGISFace.outOfBand, challenge: nil, lasts: 3600)
    let code = try await SignInWithAppPassword(here).code(made.password, for: oob, visitor)
    let tokens = try await RedeemCode(here)(
      code.revealedText, verifier: nil, redirectURI: ArcGISFace.outOfBand, client, at: face.scope, visitor)
    let refresh = try #require(tokens.refreshToken)
    _ = try await RefreshTokens(here)(refresh, scope: nil, client, manner: .keep, visitor)
    // As it stands if the process ends once the switch is stored.
    try await test.store.write { [connection] tx in
      var off = connection
      off.portal.appPasswordClient = nil
      try tx.setOptions(of: off)
    }
    #expect(await isRefused(.invalidGrant) { _ = try await RefreshTokens(here)(refresh, scope: nil, client, visitor) })
    #expect(try await test.store.read { try $0.appPasswords(of: account) }.count == 1)
    try await TakeAppPasswords(here)(client.id, at: connection.id, by: nil, visitor)
    #expect(await isRefused(.invalidGrant) { _ = try await show(made.text) })
    #expect(await isRefused(.invalidGrant) { _ = try await RefreshTokens(here)(refresh, scope: nil, client, visitor) })
    #expect(try await test.count(.appPasswordEnded) == 1)

    _ = try await make()
    try await test.store.write { [connection] in try $0.setOptions(of: connection) }
    try await SweepExpired(here)()
    #expect(try await test.store.read { try $0.appPasswords(of: account) }.isEmpty)
    #expect(try await test.count(.appPasswordEnded) == 2)
  }

  @Test("taking them no more ends what was given in the same transaction as the switch")
  func oneTransaction() async throws {
    let made = try await make()
    let claims = try await token(made.password)
    let id = connection.id
    try await test.store.write { [test] in try $0.revokeFamilies(ofAppPasswordsAt: id, at: test.time.now) }
    #expect(try await !test.here.isLive(claims))
    #expect(try await show(made.text).id == made.password.id)
  }

  @Test("an administrator sees those of a person and of a connection, and ends one")
  func inspect() async throws {
    let (here, visitor, account) = (test.here, TestInstallation.visitor, test.account.id)
    let (made, theirs) = (try await make(), try await make(for: other))
    let claims = try await token(made.password)
    let inspect = InspectAppPasswords(here)
    for place in [InspectAppPasswords.Place.account(account), .connection(connection.id)] {
      let entries = try await inspect(at: place).entries
      #expect(Set(entries.map(\.password.id)) == [made.password.id, theirs.password.id])
      #expect(entries.allSatisfy { $0.isTaken && $0.owner.id == account && $0.connection.id == connection.id })
      #expect(entries.first { $0.client.id == client.id }?.password.lastUsedAt == test.time.now)
    }
    let elsewhere = try #require(ConnectionID("other"))
    for place in [InspectAppPasswords.Place.account(.random()), .connection(elsewhere)] {
      #expect(await isRefused(.notFound) { _ = try await inspect(at: place) })
      #expect(await isRefused(.notFound) { try await inspect.end(made.password.id, at: place, visitor) })
    }
    #expect(try await here.isLive(claims))
    try await inspect.end(made.password.id, at: .connection(connection.id), visitor)
    #expect(try await !here.isLive(claims))
    #expect(await isRefused(.notFound) { try await inspect.end(made.password.id, at: .account(account), visitor) })
    try await inspect.end(theirs.password.id, at: .account(account), visitor)
    #expect(try await inspect(at: .account(account)).entries.isEmpty)
    #expect(try await test.count(.appPasswordEnded) == 2)
  }

  @Test("a long list of those at a connection is cut into pages by the names of their owners")
  func pages() async throws {
    let (now, id, client) = (test.time.now, connection.id, client.id)
    try await test.store.write { tx in
      for number in 0..<55 {
        let account = Account(
          id: .random(), name: "P\(100 + number % 50)", username: nil, role: .person, createdAt: now)
        try tx.insert(account)
        let password = AppPasswordID.random()
        try tx.insert(
          AppPassword(
            id: password, account: account.id, client: client, connection: id, code: [1], pepperID: "p",
            session: TokenHash(of: password.text), createdAt: now))
      }
    }
    let inspect = InspectAppPasswords(test.here)
    let first = try await inspect(at: .connection(id))
    let second = try await inspect(at: .connection(id), after: first.next)
    let names = (first.entries + second.entries).map(\.owner.name)
    #expect(first.entries.count == 50 && first.total == 55 && names.count == 55 && second.next == nil)
    #expect(names == names.sorted() && Set((first.entries + second.entries).map(\.password.id)).count == 55)
  }
}
