import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Pages
import Testing

@testable import Web

struct MetadataTests {
  @Test("The metadata names this issuer, and every endpoint it names answers")
  func endpoints() async throws {
    let gatehouse = try await TestInstallation()
    let answer = await gatehouse.send(.get, "/.well-known/oauth-authorization-server")
    #expect(answer.status == .ok)
    #expect(answer.headers["access-control-allow-origin"] == "*")
    let json = try answer.json
    #expect(json.string("issuer") == TestInstallation.external)
    let other = await gatehouse.send(.get, "/.well-known/openid-configuration")
    #expect(other.text == answer.text)
    for member in json.object ?? [] where member.name.hasSuffix("_endpoint") || member.name == "jwks_uri" {
      let url = try #require(member.value.string)
      let method: HTTP.Method = member.name == "jwks_uri" || member.name == "authorization_endpoint" ? .get : .post
      let reached = await gatehouse.send(method, String(url.dropFirst(TestInstallation.external.count)))
      #expect(![404, 405].contains(reached.status.code), "\(url)")
    }
  }

  @Test("The metadata says what the defaults of the standard would say wrong")
  func defaults() async throws {
    let json = try await TestInstallation().send(.get, "/.well-known/oauth-authorization-server").json
    #expect(json.bool("request_uri_parameter_supported") == false)
    #expect(json.bool("request_parameter_supported") == false && json.bool("claims_parameter_supported") == true)
    let grants = try #require(json.strings("grant_types_supported"))
    #expect(grants.contains("authorization_code") && !grants.contains("implicit") && !grants.contains("password"))
    #expect(
      json.strings("token_endpoint_auth_methods_supported") == [
        "client_secret_basic", "client_secret_post", "private_key_jwt", "none",
      ])
    #expect(json.strings("id_token_signing_alg_values_supported")?.contains("RS256") == true)
    #expect(json.strings("refresh_token_expiration_types_supported") == ["authorization", "token_timeout"])
    #expect(json.bool("authorization_response_iss_parameter_supported") == true)
    #expect(json.strings("code_challenge_methods_supported") == ["S256"])
    #expect(json.strings("response_modes_supported") == ["query", "form_post"])
    #expect(
      json.strings("introspection_endpoint_auth_methods_supported") == [
        "client_secret_basic", "client_secret_post", "private_key_jwt",
      ])
    #expect(
      json.strings("token_endpoint_auth_signing_alg_values_supported") == ["ES256", "PS256", "EdDSA", "RS256"])
    #expect(json.strings("scopes_supported") == ["vend", "vend:unattended", "openid", "profile", "offline_access"])
  }

  @Test("The metadata says where the policy and the terms of this installation stand, if they stand anywhere")
  func policyAndTerms() async throws {
    let (policy, terms) = ("https://city.example/privacy", "https://city.example/terms")
    let published = PublishedAddresses(policy: policy, terms: terms)
    let json = try await TestInstallation(published: published).send(.get, "/.well-known/openid-configuration").json
    #expect(json.string("op_policy_uri") == policy && json.string("op_tos_uri") == terms)
    let bare = try await TestInstallation().send(.get, "/.well-known/openid-configuration").json
    #expect(bare["op_policy_uri"] == nil && bare["op_tos_uri"] == nil)
  }

  @Test("The metadata has absolute https addresses, no empty list, and every capability that there is")
  func members() async throws {
    let issuer = "https://gate.example.org/gate"
    let json = try await TestInstallation(external: issuer).send(.get, "/gate/.well-known/openid-configuration").json
    for member in json.object ?? [] {
      #expect(member.value.array?.isEmpty != true, "\(member.name)")
      let isAddress = ["_endpoint", "_uri", "issuer", "_documentation"].contains { member.name.hasSuffix($0) }
      if isAddress { #expect(member.value.string?.hasPrefix(issuer) == true, "\(member.name)") }
    }
    let names = Set(json.object?.map(\.name) ?? [])
    let expected: Set = [
      "pushed_authorization_request_endpoint", "require_pushed_authorization_requests", "introspection_endpoint",
      "revocation_endpoint", "end_session_endpoint", "backchannel_logout_supported",
      "backchannel_logout_session_supported", "dpop_signing_alg_values_supported", "subject_types_supported",
      "claims_supported", "ui_locales_supported", "service_documentation",
    ]
    #expect(names.isSuperset(of: expected), "\(expected.subtracting(names))")
    #expect(
      json.bool("backchannel_logout_supported") == true && json.bool("backchannel_logout_session_supported") == true)
    #expect(json.strings("scopes_supported")?.contains("openid") == true)
  }

  @Test("An app that knows the API alone finds what it asks for, also below a path", arguments: ["", "/gate"])
  func protectedResource(path: String) async throws {
    let issuer = "http://localhost:8080" + path
    let gatehouse = try await TestInstallation(external: issuer)
    let json = try await gatehouse.send(.get, "/.well-known/oauth-protected-resource" + path).json
    #expect(json.string("resource") == issuer && json.strings("authorization_servers") == [issuer])
    #expect(json.strings("scopes_supported") == ["vend"] && json.strings("bearer_methods_supported") == ["header"])
    let password = await gatehouse.send(.get, "/.well-known/change-password")
    #expect(password.status == .seeOther && password.location == path + "/account/security/password")
    #expect(await gatehouse.send(.get, "/.well-known/security.txt").status == .notFound, "nobody was named")
  }

  @Test("Whom to tell of a weakness stands at the root, with an end that moves on")
  func securityContact() async throws {
    let gatehouse = try await TestInstallation(
      published: PublishedAddresses(securityContact: "mailto:security@example.org"))
    let answer = await gatehouse.send(.get, "/.well-known/security.txt")
    #expect(answer.status == .ok && answer.headers["content-type"] == "text/plain; charset=utf-8")
    let end = PageContext.isoTime((gatehouse.time.now + 180 * 86_400).seconds, exact: true)
    #expect(answer.text.hasPrefix("Contact: mailto:security@example.org\nExpires: \(end)\n"))
    #expect(answer.text.hasSuffix("Canonical: http://localhost:8080/.well-known/security.txt\n"))
  }

  @Test(
    "An issuer with a path has its metadata in both places",
    arguments: [
      "/gate/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/gate",
      "/gate/.well-known/openid-configuration", "/.well-known/openid-configuration/gate",
    ])
  func issuerWithPath(place: String) async throws {
    let gatehouse = try await TestInstallation(external: "http://localhost:8080/gate")
    let answer = await gatehouse.send(.get, place)
    #expect(try answer.json.string("issuer") == "http://localhost:8080/gate")
    #expect(try answer.json.string("token_endpoint") == "http://localhost:8080/gate/oauth2/token")
  }

  @Test("The key set is public, cached, holds no private part, and is not sent twice to who has it")
  func keys() async throws {
    let gatehouse = try await TestInstallation()
    let answer = await gatehouse.send(.get, "/oauth2/jwks")
    #expect(answer.headers["cache-control"] == "public, max-age=300")
    #expect(answer.headers["access-control-allow-origin"] == "*")
    let key = try #require(try answer.json.array("keys")?.first)
    #expect(key.string("alg") == "ES256" && key.string("use") == "sig" && key.string("kid") != nil)
    #expect(key["d"] == nil)
    let tag = try #require(answer.headers["etag"].flatMap(FieldValue.init))
    let again = await gatehouse.send(.get, "/oauth2/jwks", headers: ["if-none-match": tag])
    #expect(again.status == .notModified && again.text.isEmpty)
  }

  @Test("The key set shows the next key as soon as it is there, and tokens outlast the change of keys")
  func keysFollowEachOther() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    func keyIDs() async throws -> [String] {
      try await gatehouse.send(.get, "/oauth2/jwks").json.array("keys")?.compactMap { $0.string("kid") } ?? []
    }
    func token() async throws -> String {
      let answer = await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
      return try #require(try answer.json.string("access_token"))
    }
    let first = try await keyIDs()
    let change = try await RotateSigningKeys(gatehouse.here).publishNext(.es256, by: .commandLine)
    #expect(try await keyIDs() == first + [change.keyID])
    gatehouse.time.advance(by: change.signsFrom - gatehouse.time.now - 1)
    let before = try await token()
    gatehouse.time.advance(by: 1)
    #expect(try JWS(parsing: before).keyID == first[0])
    #expect(try await JWS(parsing: token()).keyID == change.keyID)
    gatehouse.time.advance(by: AccessToken.lifetime - 2)
    #expect(try await gatehouse.introspect(before, client).bool("active") == true)
    gatehouse.time.advance(by: 1)
    #expect(try await gatehouse.introspect(before, client).bool("active") == false)
  }
}
