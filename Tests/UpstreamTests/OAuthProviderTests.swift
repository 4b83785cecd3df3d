import Domain
import HTTP
import HTTPClient
import JSON
import Testing

@testable import Upstream

@Suite("A plain OAuth 2 provider", .timeLimit(.minutes(1)))
struct OAuthProviderTests {
  private let upstreams: Upstreams
  private let server: TestOAuthServer

  init() throws {
    upstreams = try Upstreams(client: OutboundClient())
    server = try TestOAuthServer()
  }

  private var provider: OAuthProvider { upstreams.oauthProviders }

  private func signIn(_ registration: Registration, issuer: String? = nil) async throws -> SignedIn {
    let back = SignInReturn(code: Secret("c0de"), issuer: issuer, verifier: Secret("v"), nonce: "n")
    return try await provider.signIn(back, registration)
  }

  @Test("is asked with PKCE, without a nonce, and for an account in its own word")
  func authorizationURL() async throws {
    let start = SignInStart(state: "s", challenge: "c", nonce: "n", forcesLogin: true)
    let registration = try server.registration { connection in
      connection.provider.quirks.loginPrompt = "select_account"
      connection.provider.quirks.authorizationParameters = [.init(name: "allow_signup", value: "false")]
    }
    let kind = try upstreams.browserKind(of: registration.connection)
    #expect(
      try await kind.authorizationURL(start, registration)
        == server.origin + "/authorize?response_type=code&client_id=GH1a2b"
        + "&redirect_uri=https%3A%2F%2Fgate.example.org%2Fcallback%2Fmaps&scope=read%3Auser&state=s"
        + "&code_challenge=c&code_challenge_method=S256&prompt=select_account&allow_signup=false")
    await server.loopback.stop()
  }

  @Test("says at its user endpoint who has signed in, and gives a token without an end")
  func signsIn() async throws {
    let signedIn = try await signIn(server.registration())
    #expect(signedIn.identity.subject == "583231" && signedIn.identity.displayName == "ana")
    #expect(signedIn.identity.issuer == server.origin && signedIn.provenName == nil)
    #expect(signedIn.tokens.accessExpiresAt.isNever && !signedIn.tokens.canRenew)
    let post = try #require(server.loopback.requests(at: "/token").first)
    #expect(post.form?["client_secret"] == "s3cr3t" && post.form?["code_verifier"] == "v")
    #expect(post.headers["authorization"] == nil && post.headers["accept"] == "application/json")
    let question = try #require(server.loopback.requests(at: "/user").first)
    #expect(question.headers["authorization"] == "Bearer gho_1")
    #expect(question.headers["user-agent"] == "Gatehouse")
    await server.loopback.stop()
  }

  @Test("can do without PKCE, and is shown the secret by Basic unless it wants it otherwise")
  func withoutPKCE() async throws {
    let registration = try server.registration {
      $0.provider.quirks.usesPKCE = false
      $0.provider.quirks.clientAuthentication = nil
    }
    let start = SignInStart(state: "s", challenge: "c", nonce: "n")
    #expect(try await !provider.authorizationURL(start, registration).contains("code_challenge"))
    _ = try await signIn(registration)
    let post = try #require(server.loopback.requests(at: "/token").first)
    #expect(post.form?["code_verifier"] == nil && post.form?["client_secret"] == nil)
    #expect(post.headers["authorization"]?.hasPrefix("Basic ") == true)
    await server.loopback.stop()
  }

  @Test(
    "may answer an error with the status 200, or answer in a form",
    arguments: [
      (#"{"error":"bad_verification_code","error_description":"The code is incorrect or expired."}"#, .refused),
      (#"{"error":"incorrect_client_credentials"}"#, .misconfigured),
      (#"{"error":"redirect_uri_mismatch"}"#, .misconfigured),
      ("error=bad_verification_code&error_description=expired", .refused),
      ("access_token=gho_1&scope=repo%2Cgist&token_type=bearer", nil), ("<html>gho_1</html>", .invalidAnswer),
      ("scope=repo", .invalidAnswer), ("{}", .invalidAnswer),
    ] as [(String, Verdict?)])
  func answers(body: String, verdict: Verdict?) async throws {
    server.change { $0.token = body }
    #expect(try await Verdict.of { try await signIn(server.registration()) } == verdict, "\(body)")
    await server.loopback.stop()
  }

  @Test(
    "must name the person by something that lasts",
    arguments: [
      #"{"login":"ana"}"#, #"{"id":null}"#, #"{"id":""}"#, #"{"id":1.5}"#, #"{"id":["1"]}"#, #"{"id":"a\u0000b"}"#,
      "[]",
      "ana",
    ])
  func unusablePeople(user: String) async throws {
    server.change { $0.user = user }
    #expect(try await Verdict.of { try await signIn(server.registration()) } == .invalidAnswer)
    await server.loopback.stop()
  }

  @Test("that is down when asked who it was stays without effect")
  func userEndpointDown() async throws {
    server.change { $0.userStatus = .serviceUnavailable }
    #expect(try await Verdict.of { try await signIn(server.registration()) } == .transient)
    await server.loopback.stop()
  }

  @Test("may name itself in its answers, and then rightly")
  func issuer() async throws {
    let registration = try server.registration()
    #expect(try await Verdict.of { try await signIn(registration, issuer: server.origin) } == nil)
    let asked = server.loopback.requests.count
    #expect(try await Verdict.of { try await signIn(registration, issuer: "https://evil.org") } == .invalidAnswer)
    #expect(server.loopback.requests.count == asked, "the code goes nowhere")
    await server.loopback.stop()
  }

  @Test("rotates refresh tokens where it gives them, and then its tokens end")
  func refreshes() async throws {
    server.change {
      $0.token = #"{"access_token":"ghu_2","expires_in":"28800","refresh_token":"ghr_2","token_type":"bearer"}"#
    }
    let registration = try server.registration()
    let signedIn = try await signIn(registration)
    #expect(signedIn.tokens.accessExpiresAt == Samples.now + 28_800 && signedIn.tokens.canRenew)
    let request = RefreshRequest(tokens: signedIn.tokens, isRepeated: false, now: Samples.now)
    server.change { $0.token = #"{"access_token":"ghu_3","refresh_token":"ghr_3"}"# }
    let answer = try await provider.requestRefresh(request, registration)
    let new = try await provider.tokens(from: answer, replacing: signedIn.tokens, registration)
    #expect(new.refreshToken == Secret("ghr_3") && new.accessExpiresAt == Samples.now + 300)
    #expect(server.loopback.requests(at: "/token").last?.form?["refresh_token"] == "ghr_2")
    server.change { $0.token = #"{"error":"bad_refresh_token"}"# }
    let refused = try await provider.requestRefresh(request, registration)
    #expect(
      try await Verdict.of { try await provider.tokens(from: refused, replacing: new, registration) } == .refused)
    await server.loopback.stop()
  }

  @Test(
    "is told to delete the token, as GitHub wants it",
    arguments: [(Status.noContent, nil), (.notFound, nil), (.serviceUnavailable, .transient)] as [(Status, Verdict?)])
  func deletes(status: Status, verdict: Verdict?) async throws {
    server.change { $0.revocation = status }
    let registration = try server.registration()
    var outcome: RevocationOutcome?
    #expect(
      try await Verdict.of { outcome = try await provider.revoke(Samples.tokens(), registration) } == verdict)
    #expect(outcome == (verdict == nil ? .revoked : nil))
    let request = try #require(server.loopback.requests(at: "/applications/GH1a2b/token").first)
    #expect(request.method == .delete && request.headers["content-type"] == "application/json")
    #expect(request.headers["authorization"]?.hasPrefix("Basic ") == true)
    // The server gives the body of a DELETE to nobody.
    #expect(request.headers["content-length"] == String(#"{"access_token":"old-access"}"#.utf8.count))
    await server.loopback.stop()
  }

  @Test("that cannot cancel tokens says so, and has no page to sign out at")
  func offersLess() async throws {
    let registration = try server.registration { $0.provider.endpoints?.revocation = nil }
    #expect(try await provider.revoke(Samples.tokens(), registration) == .unsupported)
    #expect(!registration.connection.canRevoke && Connection.Kind.oidc.canRevoke)
    #expect(await provider.signOutURL(registration, tokens: nil, returnTo: "https://gate") == nil)
    await server.loopback.stop()
  }

  @Test("is looked at before it is saved: its endpoints, and whether one answers")
  func inspects() async throws {
    var draft = try server.connection()
    draft.origin = ""
    draft.resources = []
    draft.reach.hosts = []
    draft.provider.endpoints?.revocation = "\(server.origin)/applications/{client_id}/token"
    let saved = try await provider.inspect(draft)
    #expect(saved.origin == server.origin && saved.resources.map(\.text) == [server.origin])
    #expect(saved.reach.hosts == [server.loopback.hostAndPort])
    #expect(saved.provider.endpoints?.revocation == "\(server.origin)/applications/GH1a2b/token")
    for url in ["\(server.origin)/nobody", "http://plain.example.org/user", "user"] {
      draft.provider.endpoints?.user = url
      #expect(try await Verdict.of { try await provider.inspect(draft) } == .misconfigured, "\(url)")
    }
    await server.loopback.stop()
  }
}
