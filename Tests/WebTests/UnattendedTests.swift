import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

@Suite("An unattended job", .timeLimit(.minutes(2)))
struct UnattendedTests {
  @Test("gets what any vend gives, and its reason stands in the audit log and in the ledger of the person")
  func vends() async throws {
    let stage = try await UnattendedStage()
    let answer = try await stage.exchange()
    let json = try answer.json
    #expect(answer.status == .ok && json.string("connection") == "demo", "\(answer.text)")
    #expect(json.string("access_token")?.isEmpty == false && json.string("issued_token_type") == VendAnswer.tokenType)
    #expect(json["headers"] != nil && json["refresh_after"] != nil && json["refresh_token"] == nil)
    let event = try #require(try await stage.gatehouse.audit().first { $0.name == .vended })
    #expect(event.account == stage.person.account.id && event.client == stage.client.client.id)
    #expect(event.detail?.hasSuffix("; unattended: \(UnattendedStage.reason)") == true)
    let page = await TestBrowser(stage.gatehouse, stage.person).get("/account/apps/\(stage.client.id)/ledger")
    #expect(page.text.contains("Unattended, while you were not here: “<bdi>\(UnattendedStage.reason)</bdi>”"))
    #expect(page.text.contains("Token for 30 minutes"))
    let account = await TestBrowser(stage.gatehouse, stage.person).get("/account")
    #expect(account.text.contains("Token for 30 minutes, while you were not here"))
  }

  @Test("needs nothing of a session, a token or a refresh token")
  func survives() async throws {
    let stage = try await UnattendedStage()
    let account = stage.person.account.id
    try await stage.gatehouse.store.write { tx in
      try tx.revokeFamilies(of: account, at: stage.gatehouse.time.now)
      _ = try tx.deleteSessions(of: account)
    }
    stage.gatehouse.time.advance(by: 10 * 24 * 60 * 60)
    try await SweepExpired(stage.gatehouse.here)()
    #expect(try await stage.exchange().status == .ok)
  }

  /// What is wrong with a request, and the claims that make it so.
  private static let wrongClaims: [(name: String, changes: @Sendable (Int64) -> [String: JSONValue?])] = [
    ("no iss", { _ in ["iss": nil] }), ("another iss", { _ in ["iss": "client_0"] }),
    ("no sub", { _ in ["sub": nil] }), ("no aud", { _ in ["aud": nil] }),
    ("another server", { _ in ["aud": "https://other.example"] }),
    ("an array as aud", { _ in ["aud": [.string(TestInstallation.external)]] }),
    ("the token endpoint as aud", { _ in ["aud": .string(TestInstallation.external + "/oauth2/token")] }),
    ("no iat", { _ in ["iat": nil] }), ("iat 61 s ago", { ["iat": .integer($0 - 61)] }),
    ("iat 11 s ahead", { ["iat": .integer($0 + 11)] }), ("iat as text", { ["iat": .string("\($0)")] }),
    ("no exp", { _ in ["exp": nil] }), ("exp now", { ["exp": .integer($0)] }),
    ("exp 301 s ahead", { ["exp": .integer($0 + 301)] }), ("nbf 11 s ahead", { ["nbf": .integer($0 + 11)] }),
    ("no jti", { _ in ["jti": nil] }), ("an empty jti", { _ in ["jti": ""] }), ("a jti as number", { _ in ["jti": 5] }),
    ("a long jti", { _ in ["jti": .string(String(repeating: "j", count: 257))] }),
    ("no reason", { _ in ["reason": nil] }), ("an empty reason", { _ in ["reason": ""] }),
    ("a blank reason", { _ in ["reason": "  "] }), ("a reason as number", { _ in ["reason": 1] }),
    ("a long reason", { _ in ["reason": .string(String(repeating: "ä", count: 257))] }),
    ("a line break", { _ in ["reason": "a\nb"] }), ("a control character", { _ in ["reason": "a\u{7}b"] }),
    ("text turned round", { _ in ["reason": "a\u{202E}b"] }), ("a hidden character", { _ in ["reason": "a\u{200B}b"] }),
  ]

  @Test("is refused with one wrong claim, and nothing is vended")
  func wrongClaim() async throws {
    let stage = try await UnattendedStage()
    for (name, changes) in Self.wrongClaims {
      let answer = try await stage.exchange(try stage.token(changes(stage.gatehouse.time.now.seconds)))
      #expect(try answer.status == .badRequest && answer.error == "invalid_request", "\(name): \(answer.text)")
      #expect(try answer.json.string("error_description")?.contains("subject_token") == true, "\(name)")
    }
    #expect(try await !stage.gatehouse.auditNames().contains(.vended))
    for changes: [String: JSONValue?] in [
      ["iat": .integer(stage.gatehouse.time.now.seconds - 60)],
      ["iat": .integer(stage.gatehouse.time.now.seconds + 10)],
      ["exp": .integer(stage.gatehouse.time.now.seconds + 300)],
      ["reason": .string(String(repeating: "ä", count: 256))], ["jti": .string(String(repeating: "j", count: 256))],
    ] { #expect(try await stage.exchange(stage.token(changes)).status == .ok, "\(changes)") }
  }

  /// Tokens that a verifier takes only when it lets the token choose how it is verified.
  private static let confusions: [(name: String, token: @Sendable (UnattendedStage) throws -> String)] = [
    ("no typ", { try $0.token(type: nil) }), ("an assertion's typ", { try $0.token(type: "JWT") }),
    ("an access token's typ", { try $0.token(type: "at+jwt") }),
    ("unsigned", { unsigned($0, header: #"{"alg":"none","typ":"gatehouse-vend-req+jwt"}"#) }),
    (
      "unsigned, with its kid", { unsigned($0, header: #"{"alg":"none","kid":"jobs","typ":"gatehouse-vend-req+jwt"}"#) }
    ),
    ("signed with the public key as a secret", { try symmetric($0) }),
    ("another key under the same kid", { try $0.token(key: .generate(.es256)) }),
    ("a key for another algorithm", { try $0.token(key: .generate(.edDSA)) }),
    ("an RSA key", { try $0.token(key: .generate(.rs256, bits: 2048)) }),
    ("an unknown kid", { try $0.token(keyID: "x") }),
    (
      "a key that it brings along",
      { stage in
        let other = try SigningKey.generate(.es256)
        return try stage.token(key: other, header: [JSONValue.Member("jwk", JWK(other.publicKey).json)])
      }
    ),
    ("the address of a key", { try $0.token(header: [JSONValue.Member("jku", "https://app.example/keys")]) }),
    ("an extension", { try $0.token(header: [JSONValue.Member("crit", ["exp"])]) }),
    ("four parts", { try $0.token() + ".x" }), ("no token", { _ in "job" }),
  ]

  private static func unsigned(_ stage: UnattendedStage, header: String) -> String {
    "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(stage.claims.encoded()))."
  }

  private static func symmetric(_ stage: UnattendedStage) throws -> String {
    let header = Array(#"{"alg":"HS256","kid":"jobs","typ":"gatehouse-vend-req+jwt"}"#.utf8)
    let input = "\(Base64URL.encode(header)).\(Base64URL.encode(stage.claims.encoded()))"
    let key = try UnattendedStage.key.get().publicKey.publicKeyInfo()
    return "\(input).\(Base64URL.encode(HMACSHA256(key: key).authenticate(Array(input.utf8))))"
  }

  @Test("is refused when it wants to be verified in another way")
  func confusion() async throws {
    let stage = try await UnattendedStage()
    for (name, token) in Self.confusions {
      let answer = try await stage.exchange(try token(stage))
      #expect(try answer.status == .badRequest && answer.error == "invalid_request", "\(name): \(answer.text)")
    }
    #expect(try await !stage.gatehouse.auditNames().contains(.vended))
  }

  @Test("signs with a key apart from the one that the client authenticates with", arguments: [false, true])
  func loginKey(alsoRegistered: Bool) async throws {
    let login = try KeyClient.key.get()
    let stage = try await UnattendedStage {
      $0.options.authentication = .privateKeyJWT
      $0.options.keys = .inline(TestInstallation.keySet([JWK(login.publicKey, keyID: KeyClient.keyID)]))
    }
    let (gatehouse, now) = (stage.gatehouse, stage.gatehouse.time.now)
    if alsoRegistered {
      // As it comes to be where the client publishes its keys itself, and changes them later.
      var options = stage.client.client.options
      options.unattendedKeys = TestInstallation.keySet([JWK(login.publicKey, keyID: UnattendedStage.keyID)])
      let changed = stage.client.client.with(options)
      try await gatehouse.store.write { try $0.update(changed) }
    }
    let proof = KeyClient(client: stage.client.client, key: login, now: now)
    func ask(_ token: String, _ assertion: String) async throws -> Response {
      var form: QueryItems = [
        "grant_type": Client.Grant.tokenExchange.rawValue, "subject_token": token,
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "resource": stage.resource,
      ]
      for (name, value) in try proof.proof(assertion) { form.append(name, value) }
      return await gatehouse.post("/oauth2/token", form)
    }
    let keyID = alsoRegistered ? UnattendedStage.keyID : KeyClient.keyID
    let answer = try await ask(stage.token(key: login, keyID: keyID), proof.assertion())
    #expect(try answer.error == "invalid_request", "\(answer.text)")
    #expect(answer.text.contains("authenticates with") == alsoRegistered)
    guard !alsoRegistered else { return }
    let right = try await ask(stage.token(["jti": "same"]), proof.assertion(["jti": "same"]))
    #expect(right.status == .ok, "the ids of both kinds of tokens are apart: \(right.text)")
  }

  @Test("presents a signed request once, however many at once")
  func replay() async throws {
    let stage = try await UnattendedStage()
    let token = try stage.token()
    let answers = try await withThrowingTaskGroup(of: Response.self) { group in
      for _ in 0..<8 { group.addTask { try await stage.exchange(token) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == .ok } == 1)
    #expect(try answers.filter { $0.status != .ok }.allSatisfy { try $0.error == "invalid_request" })
    try await SweepExpired(stage.gatehouse.here)()
    #expect(try await stage.exchange(token).status == .badRequest)
  }

  @Test("learns of nobody whether they have an account: unknown, disabled and without consent read the same")
  func nobody() async throws {
    let stage = try await UnattendedStage()
    let (gatehouse, root) = (stage.gatehouse, TestInstallation.visitor)
    let other = try await gatehouse.person("Ben")
    let last = other.account.id.text.last == "a" ? "b" : "a"
    let unknown = other.account.id.text.dropLast() + last
    try #require(AccountID(String(unknown)) != nil)
    let subjects: [JSONValue] = [
      .string(other.account.id.text), .string(String(unknown)), .string(Account.service.text), "ana",
      .string(stage.client.id),
    ]
    var answers: [String] = []
    for subject in subjects { answers.append(try await stage.exchange(stage.token(["sub": subject])).text) }
    _ = try await ChangeAccount(gatehouse.here)(stage.person.account.id, disabled: true, by: nil, root)
    answers.append(try await stage.exchange().text)
    #expect(Set(answers).count == 1 && answers[0].contains("invalid_request"), "\(answers)")
    // Nor does what nobody covers tell them apart.
    var targets: Set<String> = []
    for subject in subjects.dropLast(2) + [.string(stage.person.account.id.text)] {
      targets.insert(
        try await stage.exchange(stage.token(["sub": subject]), resource: "https://elsewhere.example/").text)
    }
    #expect(targets.count == 1 && targets.first?.contains("invalid_target") == true, "\(targets)")
  }

  @Test("needs the consent to just that: what is allowed while the person is there is not enough")
  func consent() async throws {
    let stage = try await UnattendedStage(allows: false)
    #expect(try await stage.exchange().error == "invalid_request")
    let refused = try #require(try await stage.gatehouse.audit().first { $0.name == .vendRefused })
    #expect(refused.account == stage.person.account.id)
    #expect(refused.detail?.hasSuffix("; unattended: \(UnattendedStage.reason)") == true)
    try await stage.allow(unattended: [stage.connection.id])
    #expect(try await stage.exchange().status == .ok)
  }

  @Test(
    "comes from the networks of the client alone",
    arguments: [
      ("127.9.9.9", true), ("fd00::7", true), ("::ffff:127.0.0.1", true), ("203.0.113.7", false), ("::1", false),
    ])
  func network(address: String, isAllowed: Bool) async throws {
    let stage = try await UnattendedStage()
    let answer = try await stage.exchange(from: address)
    #expect(answer.status == (isAllowed ? .ok : .badRequest), "\(answer.text)")
    if !isAllowed { #expect(try answer.error == "invalid_request") }
  }

  @Test("is for connections alone that an administrator lets be used like that; others read like unknown ones")
  func pinned() async throws {
    let stage = try await UnattendedStage()
    let (gatehouse, client) = (stage.gatehouse, stage.client.client)
    let unknown = try await stage.exchange(resource: "https://elsewhere.example/").text
    #expect(try await stage.exchange(more: [("audience", "demo")]).status == .ok)
    #expect(try await stage.exchange(more: [("audience", "other")]).error == "invalid_target")
    let unpinned = client.with(
      client.options, [.init(connection: stage.connection.id, handsOutRawTokens: true, isUnattended: false)])
    try await gatehouse.store.write { try $0.update(unpinned) }
    #expect(try await stage.exchange().text == unknown)
    let proxied = client.with(
      client.options, [.init(connection: stage.connection.id, handsOutRawTokens: false, isUnattended: true)])
    try await gatehouse.store.write { try $0.update(proxied) }
    #expect(try await stage.exchange().error == "invalid_target", "the proxy takes no jobs")
  }

  enum Ending: CaseIterable, Sendable {
    case consentWithdrawn, unattendedWithdrawn, accountDisabled, clientDisabled, connectionDisabled, disconnected,
      signedOut
  }

  @Test("ends at the next request when any part of what it rests on ends", arguments: Ending.allCases)
  func ends(_ ending: Ending) async throws {
    let stage = try await UnattendedStage()
    #expect(try await stage.exchange().status == .ok)
    let (here, visitor) = (stage.gatehouse.here, TestInstallation.visitor)
    let (account, client) = (stage.person.account.id, stage.client.client.id)
    var error = "invalid_request"
    switch ending {
    case .consentWithdrawn: _ = try await WithdrawConsent(here)(client, by: account, visitor)
    case .unattendedWithdrawn: _ = try await WithdrawConsent(here).unattended(client, by: account, visitor)
    case .accountDisabled: _ = try await ChangeAccount(here)(account, disabled: true, by: nil, visitor)
    case .clientDisabled:
      try await stage.gatehouse.change(.disable, stage.client)
      error = "invalid_client"
    case .connectionDisabled:
      try await ChangeConnection(here)(.disable, stage.connection.id, by: nil, visitor)
      error = "invalid_target"
    case .disconnected, .signedOut:
      let browser = TestBrowser(stage.gatehouse, stage.person)
      let path = ending == .disconnected ? "/disconnect/demo" : "/signout"
      _ = try await browser.submit([:], on: path)
      error = "interaction_required"
    }
    let answer = try await stage.exchange()
    #expect(try answer.error == error, "\(answer.text)")
    if error == "interaction_required" { #expect(try answer.json.string("interaction_uri")?.isEmpty == false) }
  }

  @Test("is for clients that are registered for it, as before for all others")
  func unregistered() async throws {
    let stage = try await UnattendedStage()
    let other = try await stage.gatehouse.client(connections: [stage.connection.id])
    let token = try stage.token(["iss": .string(other.id)])
    #expect(try await stage.exchange(token, as: other).error == "invalid_request")
    let foreign = try await stage.exchange(more: [("requested_token_type", "urn:x")])
    #expect(try foreign.error == "invalid_request")
    #expect(try await stage.exchange(more: [("scope", "vend")]).error == "invalid_scope")
    #expect(try await stage.exchange(more: [("actor_token", "x")]).error == "invalid_request")
  }

  @Test("gets another token than the one at hand by the same limits as any vend")
  func limits() async throws {
    let stage = try await UnattendedStage()
    let most = VendRequest.maximumMinimumLifetime
    #expect(try await stage.exchange(more: [("min_ttl", "\(most + 1)")]).error == "invalid_request")
    #expect(try await stage.exchange(more: [("min_ttl", "1700")]).status == .ok)
  }
}

extension Client {
  /// The same client with other options, and other permissions if they are named.
  func with(_ options: ClientOptions, _ permissions: [Permission]? = nil) -> Client {
    Client(
      id: id, name: name, kind: kind, redirectURIs: redirectURIs, grants: grants, scope: scope,
      permissions: permissions ?? self.permissions, options: options, createdAt: createdAt)
  }
}
