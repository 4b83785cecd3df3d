import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Testing

@testable import Web

@Suite("Mutual TLS", .timeLimit(.minutes(1)))
struct MutualTLSTests {
  private let certificates: TestCertificates

  init() throws { certificates = try TestCertificates.shared.get() }

  private func installation() async throws -> TestInstallation {
    let authorities = try ClientAuthorities(pem: certificates.authority)
    return try await TestInstallation(
      certificates: ClientCertificates(areTaken: true, authorities: authorities, alias: "https://localhost:8444"))
  }

  private func client(
    _ gatehouse: TestInstallation, _ subject: CertificateSubject?, binds: Bool = false
  ) async throws -> KeyClient {
    let entry: JSONValue = JWK(try KeyClient.key.get().publicKey).json.changed(
      ["x5c": [.string(Base64.encode(certificates.own))]])
    let keys = String(decoding: JSONValue.object([.init("keys", [entry])]).encoded(), as: UTF8.self)
    return try await gatehouse.keyClient {
      $0.options.authentication = subject == nil ? .tlsSelfSigned : .tlsAuthority
      $0.options.certificateSubject = subject
      $0.options.keys = subject == nil ? .inline(keys) : nil
      $0.options.bindsToCertificate = binds
    }
  }

  private func ask(_ gatehouse: TestInstallation, _ client: KeyClient, _ certificate: [UInt8]?) async -> Response {
    let form: QueryItems = ["grant_type": "client_credentials", "client_id": client.id]
    return await gatehouse.send(
      .post, "/oauth2/token", headers: ["content-type": "application/x-www-form-urlencoded"], body: form.body,
      certificate: certificate)
  }

  private static let subjects: [(CertificateSubject.Field, right: String, wrong: [String])] = [
    (
      .distinguishedName, #"CN=app,O=City\, of Ana"#,
      [#"O=City\, of Ana,CN=app"#, "CN=app", #"cn=app,O=City\, of Ana"#, #"CN=app,O=City\, of Ana,C=DE"#]
    ),
    (.dnsName, "app.example", ["example", "*.example", "app.example.", "urn:app:one", "app.example.org"]),
    (.uri, "urn:app:one", ["urn:app:two", "urn:app", "app.example"]),
    (.email, "app@example.org", ["app@example.com", "example.org"]),
    (.address, "192.0.2.7", ["192.0.2.8", "192.0.2.70", "::ffff:192.0.2.8"]),
    (.address, "2001:DB8:0::7", ["2001:db8::8"]),
  ]

  @Test("a certificate of the authority counts for exactly what was registered", arguments: subjects.indices)
  func authority(row: Int) async throws {
    let gatehouse = try await installation()
    let (field, right, wrong) = Self.subjects[row]
    let named = try await client(gatehouse, CertificateSubject(field: field, value: right))
    #expect(await ask(gatehouse, named, certificates.issued).status == .ok)
    for certificate in [nil, certificates.foreign, certificates.own, [1, 2, 3]] {
      let answer = await ask(gatehouse, named, certificate)
      #expect(answer.status == .badRequest)
      #expect(try answer.error == "invalid_client")
    }
    for value in wrong {
      let other = try await client(gatehouse, CertificateSubject(field: field, value: value))
      #expect(try await ask(gatehouse, other, certificates.issued).error == "invalid_client", "\(value)")
    }
  }

  @Test("a certificate counts that the app registered itself, while it is valid, whoever issued it")
  func selfSigned() async throws {
    let gatehouse = try await installation()
    let own = try await client(gatehouse, nil)
    #expect(await ask(gatehouse, own, certificates.own).status == .ok)
    #expect(try await ask(gatehouse, own, certificates.issued).error == "invalid_client")
    #expect(try await ask(gatehouse, own, nil).error == "invalid_client")
    // Two times of 13 characters stand one after the other; whoever signs for themselves may put them in any order.
    var reversed = certificates.own
    let mark: [UInt8] = [0x17, 0x0D]
    let first = try #require(reversed.indices.first { reversed[$0...].starts(with: mark) })
    let (from, until) = (Array(reversed[first..<first + 15]), Array(reversed[first + 15..<first + 30]))
    reversed.replaceSubrange(first..<first + 30, with: until + from)
    #expect(try await ask(gatehouse, own, reversed).error == "invalid_client")
    gatehouse.time.advance(by: 3 * 24 * 60 * 60)
    #expect(try await ask(gatehouse, own, certificates.own).error == "invalid_client")
  }

  @Test("a token that is bound to a certificate is nothing without it")
  func bound() async throws {
    let gatehouse = try await installation()
    let own = try await client(gatehouse, nil, binds: true)
    let answer = await ask(gatehouse, own, certificates.own)
    let token = try #require(try answer.json.string("access_token"), "\(answer.text)")
    #expect(try answer.json.string("token_type") == "Bearer")
    let payload = try JWTClaims(JWS(parsing: token).unverifiedPayload).json
    #expect(payload["cnf"]?.string("x5t#S256") == Base64URL.encode(SHA256.hash(certificates.own)))
    func present(_ certificate: [UInt8]?, scheme: String = "Bearer") async throws -> Response {
      await gatehouse.send(
        .get, "/v1/connections", headers: ["authorization": try #require(FieldValue("\(scheme) \(token)"))],
        certificate: certificate)
    }
    #expect(try await present(certificates.own).status == .ok)
    for refused in [
      try await present(nil), try await present(certificates.issued),
      try await present(certificates.own, scheme: "DPoP"),
    ] {
      #expect(refused.status == .unauthorized)
      #expect(try refused.error == "invalid_token")
    }
  }

  @Test("an app whose tokens are bound to its certificate gets none without it, however it authenticates")
  func notBound() async throws {
    let gatehouse = try await installation()
    let client = try await gatehouse.keyClient { $0.options.bindsToCertificate = true }
    #expect(try await gatehouse.token(client.proof()).error == "invalid_request")
  }

  @Test("the metadata says where certificates are asked for, if anywhere")
  func metadata() async throws {
    let json = try await installation().send(.get, "/.well-known/oauth-authorization-server").json
    #expect(json["mtls_endpoint_aliases"]?.string("token_endpoint") == "https://localhost:8444/oauth2/token")
    #expect(json.bool("tls_client_certificate_bound_access_tokens") == true)
    let methods = json.strings("token_endpoint_auth_methods_supported") ?? []
    #expect(methods.contains("tls_client_auth") && methods.contains("self_signed_tls_client_auth"))
    let plain = try await TestInstallation().send(.get, "/.well-known/oauth-authorization-server").json
    #expect(plain["mtls_endpoint_aliases"] == nil && plain["tls_client_certificate_bound_access_tokens"] == nil)
  }
}
