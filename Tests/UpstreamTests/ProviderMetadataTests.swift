import Domain
import JSON
import Testing

@testable import Upstream

@Suite("A discovery document")
struct ProviderMetadataTests {
  private static let good: JSONValue = [
    "issuer": "https://op.example.org", "authorization_endpoint": "https://op.example.org/authorize",
    "token_endpoint": "https://login.example.com/token", "jwks_uri": "https://op.example.org/keys",
  ]

  private func read(_ json: JSONValue, reach: [String] = []) throws -> ProviderMetadata {
    try ProviderMetadata(json, for: Samples.connection(.oidc, origin: "https://op.example.org", reach: reach))
  }

  private func with(_ name: String, _ value: JSONValue) -> JSONValue {
    .object((Self.good.object ?? []).filter { $0.name != name } + [.init(name, value)])
  }

  @Test("with nothing but what it must hold gets the defaults of the standard")
  func defaults() throws {
    let provider = try read(Self.good)
    #expect(provider.tokenAuthentication == .basic)
    #expect(provider.idTokenAlgorithms == ["RS256"])
    #expect(provider.revocationEndpoint == nil && provider.endSessionEndpoint == nil)
    #expect(!provider.announcesIssuer)
  }

  @Test(
    "is refused when it is another's, lacks an endpoint, or sends people or secrets where they must not go",
    arguments: [
      ("issuer", "https://op.example.org/"), ("issuer", "https://OP.example.org"), ("issuer", "https://evil.org"),
      ("issuer", 7), ("authorization_endpoint", .null), ("token_endpoint", ""), ("jwks_uri", "/keys"),
      ("token_endpoint", "http://op.example.org/token"), ("authorization_endpoint", "javascript:alert(1)"),
      ("authorization_endpoint", "http://op.example.org/authorize"),
      ("end_session_endpoint", "http://op.example.org/o"),
      ("token_endpoint", "https://user@op.example.org/token"), ("jwks_uri", "https://op.example.org/keys#x"),
    ] as [(String, JSONValue)])
  func refuses(name: String, value: JSONValue) async throws {
    #expect(try await Verdict.of { try read(with(name, value)) } == .misconfigured)
  }

  @Test("may name plain http where an administrator declared the host")
  func declared() throws {
    let json = with("token_endpoint", "http://op.example.org:8080/token")
    #expect(try read(json, reach: ["op.example.org:8080"]).tokenEndpoint == "http://op.example.org:8080/token")
  }

  @Test(
    "decides how the client shows who it is",
    arguments: [
      (["client_secret_basic", "client_secret_post"], ClientAuthentication.basic), (["client_secret_post"], .post),
      (["private_key_jwt"], .basic), ([], .basic),
    ])
  func authentication(offered: [String], method: ClientAuthentication) throws {
    let json = with("token_endpoint_auth_methods_supported", .array(offered.map(JSONValue.string)))
    let provider = try read(json)
    #expect(provider.tokenAuthentication == method)
    #expect(provider.revocationAuthentication == method)
  }

  @Test(
    "is found from whatever of it was typed",
    arguments: [
      ("https://op.example.org", "https://op.example.org"), ("op.example.org", "https://op.example.org"),
      ("https://op.example.org/", "https://op.example.org/"),
      ("https://OP.example.org/Realm", "https://op.example.org/Realm"),
      (" https://op.example.org/a/.well-known/openid-configuration\n", "https://op.example.org/a"),
      ("https://op.example.org/.well-known/openid-configuration", "https://op.example.org"),
      ("https://op.example.org:8443/a/", "https://op.example.org:8443/a/"), ("https://op.example.org/?x=1", nil),
      ("https://op.example.org/#x", nil), ("ftp://op.example.org", nil), ("", nil),
    ])
  func issuers(typed: String, issuer: String?) {
    #expect(IssuerAddress.normalise(typed) == issuer)
  }

  @Test(
    "is fetched from below the issuer",
    arguments: [
      ("https://op.example.org", "https://op.example.org/.well-known/openid-configuration"),
      ("https://op.example.org/a/", "https://op.example.org/a/.well-known/openid-configuration"),
    ])
  func place(issuer: String, url: String) {
    #expect(ProviderMetadata.url(of: issuer) == url)
  }
}
