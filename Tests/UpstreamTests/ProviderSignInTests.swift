import Crypto
import Domain
import HTTP
import HTTPClient
import JOSE
import JSON
import Testing

@testable import Upstream

@Suite("Signing in to an OpenID provider", .timeLimit(.minutes(1)))
struct ProviderSignInTests {
  private let providers: OIDC

  init() throws { providers = try Upstreams(client: OutboundClient()).providers }

  private func registration(
    _ provider: TestProvider, secret: String? = nil, admission: Admission = .invited
  ) throws -> Registration {
    var connection = try provider.connection()
    connection.admission = admission
    return Registration(
      connection: connection, clientSecret: secret.map { Secret($0) },
      redirectURI: "https://gate.example.org/callback/maps")
  }

  private func redeem(
    _ provider: TestProvider, issuer: String? = nil, secret: String? = nil, admission: Admission = .invited
  ) async throws -> SignedIn {
    let back = SignInReturn(code: Secret("c0de"), issuer: issuer, verifier: Secret("v"), nonce: "n-0S6")
    let registration = try registration(provider, secret: secret, admission: admission)
    return try await providers.signIn(back, registration)
  }

  @Test("yields the tokens and the subject", arguments: SignatureAlgorithm.allCases)
  func signsIn(algorithm: SignatureAlgorithm) async throws {
    let provider = try TestProvider(algorithm)
    let hash = IDTokenRule.accessTokenHash("access-1", algorithm)
    let token = try provider.sign(provider.claims(["at_hash": .string(hash)]))
    provider.change { $0.idToken = token }
    let signedIn = try await redeem(provider)
    #expect(signedIn.identity.issuer == provider.issuer)
    #expect(signedIn.identity.subject == "248289761001")
    #expect(signedIn.identity.displayName == "ana")
    #expect(signedIn.tokens.accessExpiresAt == Samples.now + 120)
    #expect(signedIn.tokens.refreshToken == Secret("refresh-1"))
    #expect(signedIn.tokens.idToken == Secret(token))
    let form = try #require(provider.loopback.requests(at: "/token").first?.form)
    #expect(form["code"] == "c0de" && form["code_verifier"] == "v" && form["client_id"] == "GH1a2b")
    await provider.loopback.stop()
  }

  @Test(
    "accepts what the standard allows",
    arguments: [
      ["aud": ["GH1a2b"]], ["azp": "GH1a2b"], ["iat": .integer(Samples.now.seconds + 8)],
      ["exp": .number(Double(Samples.now.seconds) + 10.5)], ["preferred_username": .null],
    ] as [[String: JSONValue]])
  func accepts(changes: [String: JSONValue]) async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims(changes), type: nil)
    provider.change { $0.idToken = token }
    #expect(try await redeem(provider).identity.subject == "248289761001")
    await provider.loopback.stop()
  }

  @Test(
    "refuses an ID token that says anything else than it must",
    arguments: [
      ["iss": "https://evil.org"], ["iss": .null], ["aud": "other"], ["aud": .null], ["aud": ["GH1a2b", "other"]],
      ["aud": []], ["azp": "other"], ["azp": 7], ["exp": .integer(Samples.now.seconds - 60)], ["exp": .null],
      ["exp": "soon"], ["iat": .null], ["iat": .integer(Samples.now.seconds - 700)],
      ["iat": .integer(Samples.now.seconds + 120)], ["nbf": .integer(Samples.now.seconds + 120)], ["nonce": .null],
      ["nonce": "other"], ["sub": .null], ["sub": ""], ["sub": .string(String(repeating: "s", count: 256))],
      ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], ["at_hash": 1],
    ] as [[String: JSONValue]])
  func refuses(changes: [String: JSONValue]) async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims(changes))
    provider.change { $0.idToken = token }
    #expect(try await Verdict.of { try await redeem(provider) } == .invalidAnswer)
    await provider.loopback.stop()
  }

  @Test(
    "says what is wrong with an ID token",
    arguments: [
      (["iss": "https://evil.org"], "one", "it names another issuer"),
      (["iat": .integer(Samples.now.seconds + 120)], "one", "it was issued in the future"),
      (["nbf": .integer(Samples.now.seconds + 120)], "one", "it is not valid yet; compare the clocks"),
      (["exp": .integer(Samples.now.seconds - 60)], "one", "it has ended already; compare the clocks"),
      ([:], "unknown", "the provider publishes no key of its key id"), (["nonce": "other"], "one", "another sign-in"),
    ] as [([String: JSONValue], String, String)])
  func words(changes: [String: JSONValue], keyID: String, words: String) async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims(changes), keyID: keyID)
    provider.change { $0.idToken = token }
    let failure = await #expect(throws: UpstreamFailure.self) { try await redeem(provider) }
    #expect(failure?.text.contains("The ID token of \(provider.issuer) was refused: ") == true)
    #expect(failure?.text.contains(words) == true, "\(failure?.text ?? "")")
    await provider.loopback.stop()
  }

  @Test(
    "takes the name from the user name, a verified address, the userinfo endpoint, or the subject",
    arguments: [
      ([:], "ana"), (["email": "a@b.c", "email_verified": true], "ana"),
      (["preferred_username": .null, "email": "a@b.c", "email_verified": true], "a@b.c"),
      (["preferred_username": .null, "email": "a@b.c"], "ana from userinfo"),
      (["preferred_username": "a\nb", "name": "Ana"], "ana from userinfo"),
      (["preferred_username": .null, "sub": "another"], "another"),
    ] as [([String: JSONValue], String)])
  func names(changes: [String: JSONValue], name: String) async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims(changes))
    let userinfo = JSONValue.string(provider.issuer + "/userinfo")
    provider.change {
      $0.idToken = token
      $0.discovery = ["userinfo_endpoint": userinfo]
    }
    #expect(try await redeem(provider).identity.displayName == name)
    await provider.loopback.stop()
  }

  @Test(
    "proves by name only who has a verified address, asked of the userinfo endpoint when a list needs it",
    arguments: [
      ([:], [:], nil), (["email": "boss@b.c"], ["email": "boss@b.c"], nil),
      (["preferred_username": "boss@b.c"], ["preferred_username": "boss@b.c", "email_verified": true], nil),
      (["email": "a@b.c", "email_verified": true], [:], "a@b.c"),
      ([:], ["email": "a@b.c", "email_verified": true], "a@b.c"),
      ([:], ["sub": "another", "email": "a@b.c", "email_verified": true], nil),
    ] as [([String: JSONValue], [String: JSONValue], String?)])
  func provenNames(changes: [String: JSONValue], userinfo: [String: JSONValue], name: String?) async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims(changes))
    let endpoint = JSONValue.string(provider.issuer + "/userinfo")
    var members = userinfo
    members["sub"] = userinfo["sub"] ?? "248289761001"
    let person = JSONValue.object(members.map { .init($0.key, $0.value) })
    provider.change {
      $0.idToken = token
      $0.discovery = ["userinfo_endpoint": endpoint]
      $0.userinfo = person
    }
    #expect(try await redeem(provider, admission: .listed).provenName == name)
    await provider.loopback.stop()
  }

  @Test("refuses tokens of another type", arguments: ["at+jwt", "logout+jwt", "dpop+jwt"])
  func refusesTypes(type: String) async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims(), type: type)
    provider.change { $0.idToken = token }
    #expect(try await Verdict.of { try await redeem(provider) } == .invalidAnswer)
    await provider.loopback.stop()
  }

  @Test("refuses tokens that are unsigned, signed with the public key as a secret, altered, or not there at all")
  func refusesForgeries() async throws {
    let provider = try TestProvider(.rs256)
    let payload = Base64URL.encode(provider.claims().encoded())
    let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + payload + "."
    let symmetric = Base64URL.encode(Array(#"{"alg":"HS256","kid":"one"}"#.utf8)) + "." + payload
    let code = HMACSHA256(key: try provider.key.publicKey.publicKeyInfo()).authenticate(Array(symmetric.utf8))
    let good = try provider.sign(provider.claims()).split(separator: ".")
    let other = Base64URL.encode(provider.claims(["sub": "admin"]).encoded())
    let forgeries = [
      none, symmetric + "." + Base64URL.encode(code), "\(good[0]).\(other).\(good[2])", "\(good[0]).\(good[1]).",
      "", "a.b.c", "{}",
    ]
    for forgery in forgeries {
      provider.change { $0.idToken = forgery }
      #expect(try await Verdict.of { try await redeem(provider) } == .invalidAnswer)
    }
    await provider.loopback.stop()
  }

  @Test("refuses an algorithm that the provider does not announce")
  func unannouncedAlgorithm() async throws {
    let provider = try TestProvider(.es256)
    let token = try provider.sign(provider.claims())
    provider.change {
      $0.idToken = token
      $0.discovery = ["id_token_signing_alg_values_supported": ["RS256"]]
    }
    #expect(try await Verdict.of { try await redeem(provider) } == .invalidAnswer)
    await provider.loopback.stop()
  }

  @Test("finds a key that was changed a moment ago, and asks for an unknown one only once")
  func rotation() async throws {
    let provider = try TestProvider()
    let good = try provider.sign(provider.claims(), keyID: "two")
    let former = JWK(try SigningKey.generate(.es256).publicKey, keyID: "one")
    let current = JWK(provider.key.publicKey, keyID: "two")
    provider.change {
      $0.idToken = good
      $0.publishedKeys = [former]
    }
    for _ in 0..<3 { #expect(try await Verdict.of { try await redeem(provider) } == .invalidAnswer) }
    #expect(provider.loopback.requests(at: "/keys").count == 2)
    let rotated = try provider.sign(provider.claims(), keyID: "three")
    provider.change {
      $0.idToken = rotated
      $0.publishedKeys = [current, JWK(provider.key.publicKey, keyID: "three")]
    }
    #expect(try await redeem(provider).identity.subject == "248289761001")
    #expect(provider.loopback.requests(at: "/keys").count == 3)
    await provider.loopback.stop()
  }

  @Test("takes a token without key id when there is one key, and none when several could be meant")
  func withoutKeyID() async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims(), keyID: nil)
    provider.change { $0.idToken = token }
    #expect(try await redeem(provider).identity.subject == "248289761001")
    await provider.loopback.stop()

    let other = try TestProvider()
    let second = try other.sign(other.claims(), keyID: nil)
    let stranger = JWK(try SigningKey.generate(.es256).publicKey, keyID: "two")
    other.change {
      $0.idToken = second
      $0.publishedKeys.append(stranger)
    }
    #expect(try await Verdict.of { try await redeem(other) } == .invalidAnswer)
    await other.loopback.stop()
  }

  @Test("compares the callback's issuer before the code goes anywhere")
  func mixUp() async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims())
    provider.change { $0.idToken = token }
    #expect(try await Verdict.of { try await redeem(provider, issuer: "https://evil.org") } == .invalidAnswer)
    #expect(try await Verdict.of { try await redeem(provider, issuer: provider.issuer) } == .invalidAnswer)
    #expect(provider.loopback.requests(at: "/token").isEmpty)
    await provider.loopback.stop()

    let announcing = try TestProvider()
    let good = try announcing.sign(announcing.claims())
    announcing.change {
      $0.idToken = good
      $0.discovery = ["authorization_response_iss_parameter_supported": true]
    }
    #expect(try await Verdict.of { try await redeem(announcing) } == .invalidAnswer)
    #expect(try await redeem(announcing, issuer: announcing.issuer).identity.subject == "248289761001")
    await announcing.loopback.stop()
  }

  @Test("shows its secret in the header, or in the form where only that is offered")
  func clientAuthentication() async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims())
    provider.change { $0.idToken = token }
    _ = try await redeem(provider, secret: "p:w d")
    let basic = try #require(provider.loopback.requests(at: "/token").last)
    #expect(basic.headers["authorization"] == "Basic " + Base64.encode(Array("GH1a2b:p%3Aw%20d".utf8)))
    #expect(basic.form?["client_secret"] == nil)
    await provider.loopback.stop()

    let other = try TestProvider()
    let second = try other.sign(other.claims())
    other.change {
      $0.idToken = second
      $0.discovery = ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
    }
    _ = try await redeem(other, secret: "p:w d")
    let post = try #require(other.loopback.requests(at: "/token").last)
    #expect(post.headers["authorization"] == nil)
    #expect(post.form?["client_secret"] == "p:w d" && post.form?["client_id"] == "GH1a2b")
    await other.loopback.stop()
  }
}
