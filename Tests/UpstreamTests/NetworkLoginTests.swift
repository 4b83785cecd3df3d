import Domain
import HTTP
import HTTPClient
import Testing

@testable import Upstream

@Suite("Web servers that ask for a password")
struct NetworkLoginTests {
  private func choice(
    _ schemes: [AuthenticationOffer.Scheme], at url: String = "https://gis.example.org/rest",
    known: NetworkOptions? = nil
  ) throws -> AuthenticationOffer.Scheme {
    let offers = schemes.map { AuthenticationOffer($0, realm: "gis") }
    return try NetworkLogin.choice(among: offers, at: try #require(ResourceURL(url)), known).scheme
  }

  @Test("the best scheme that takes a password is chosen, never Negotiate")
  func best() throws {
    #expect(try choice([.negotiate, .ntlm]) == .ntlm)
    #expect(try choice([.basic, .digest]) == .digest)
    #expect(try choice([.basic]) == .basic)
    #expect(try choice([.basic, .digest], at: "http://gis.example.org/rest") == .digest)
  }

  @Test("Basic never goes over plain http, and the administrator is told why")
  func basicInTheOpen() throws {
    let failure = #expect(throws: UpstreamFailure.self) { try choice([.basic], at: "http://gis.example.org/rest") }
    #expect(failure?.text.contains("Basic over plain http, which shows them to everybody on the way") == true)
    #expect(try choice([.basic], at: "http://localhost:8081/") == .basic)
  }

  @Test("neither a weaker scheme than before nor another realm is given a password")
  func changed() throws {
    let known = NetworkOptions(scheme: .ntlm, realm: nil)
    #expect(throws: UpstreamFailure.self) { try choice([.basic], known: known) }
    #expect(try choice([.digest, .basic], known: known) == .digest)
    #expect(throws: UpstreamFailure.self) {
      try choice([.basic], known: NetworkOptions(scheme: .basic, realm: "another"))
    }
    #expect(throws: UpstreamFailure.self) { try choice([]) }
    #expect(throws: UpstreamFailure.self) { try choice([.negotiate]) }
  }

  @Test("a stored password goes to the connection's own host alone, and not by Basic in the open")
  func ownHost() async throws {
    let kind = try Upstreams(client: OutboundClient()).logins
    let connection = try Samples.connection(.password, origin: "https://gis.example.org/rest")
    let login = TypedLogin(username: "ana", password: Secret("pässword"))
    let credential = Credential(
      id: .init(random: "00112233445566778899aabbccddeeff"), account: .init(random: "00112233445566778899aabbccddeeff"),
      connection: connection.id,
      identity: .init(connection: connection.id, issuer: "i", subject: "ana", displayName: "ana"), state: .active,
      generation: 3, accessExpiresAt: .never, refreshExpiresAt: nil, canRefresh: false, connectedAt: Samples.now,
      refreshedAt: Samples.now, lastUsedAt: nil)
    func passage(_ url: String, _ scheme: AuthenticationOffer.Scheme, at connection: Connection) async throws -> Passage
    {
      try await kind.passage(
        with: NetworkLogin.secret(login, scheme), of: credential, to: try #require(ResourceURL(url)),
        Registration(connection: connection, clientSecret: nil, redirectURI: ""))
    }
    let own = try await passage("https://gis.example.org/elsewhere", .basic, at: connection)
    #expect(own.network?.owner == .init(credential: credential.id.text, generation: 3) && own.headers.isEmpty)
    for other in ["https://gis.example.org:8443/rest", "http://gis.example.org/rest", "https://evil.example/rest"] {
      await #expect(throws: UpstreamFailure.self, "\(other)") { try await passage(other, .basic, at: connection) }
    }
    let open = try Samples.connection(.password, origin: "http://gis.example.org/rest")
    await #expect(throws: UpstreamFailure.self) { try await passage("http://gis.example.org/rest", .basic, at: open) }
    _ = try await passage("http://gis.example.org/rest", .digest, at: open)
  }

  @Test("what a scheme cannot carry is said before anything is sent")
  func unsendable() {
    func fields(_ username: String, _ password: String, _ scheme: AuthenticationOffer.Scheme) -> [String] {
      TypedLogin(username: username, password: Secret(password)).objections(by: scheme).map(\.field)
    }
    #expect(fields("a:b", "x", .basic) == ["username"] && fields("a:b", "x", .digest).isEmpty)
    #expect(fields("ana", "x\u{0}y", .digest) == ["password"])
    #expect(fields("GIS\\ana", "pässwörd", .ntlm).isEmpty)
    #expect(fields("änna", "пароль", .ntlm) == ["username", "password"])
    #expect(fields("änna", "пароль", .basic).isEmpty)
  }
}
