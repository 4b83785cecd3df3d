import Crypto
import Domain
import Flows
import HTTP
import HTTPServer
import JOSE
import JSON
import Logging
import Synchronization
import Testing

@testable import Web

/// Where an app publishes its keys, behind a real socket.
final class KeyPublisher: Sendable {
  struct State {
    var keys: [JWK] = []
    var status = Status.ok
    var asked = 0
  }

  private let shared: Shared
  private let server: Server

  init(_ keys: [JWK]) throws {
    let state = Shared(State(keys: keys))
    shared = state
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    server = Server(configuration: configuration) { _ in
      state.value.withLock { state in
        state.asked += 1
        return Response(
          status: state.status, headers: ["content-type": "application/json"],
          body: .bytes(JWKSet(state.keys).json.encoded()))
      }
    }
    try server.start()
  }

  private final class Shared: Sendable {
    let value: Mutex<State>
    init(_ state: State) { value = Mutex(state) }
  }

  var url: String { "http://127.0.0.1:\(server.port)/keys" }
  var asked: Int { shared.value.withLock { $0.asked } }

  func change(_ change: @Sendable (inout State) -> Void) { shared.value.withLock { change(&$0) } }

  func stop() async { await server.stop(within: .seconds(1)) }
}

@Suite("Keys that an app publishes", .timeLimit(.minutes(1)))
struct ClientKeysTests {
  private let first: JWK

  init() throws { first = JWK(try KeyClient.key.get().publicKey, keyID: KeyClient.keyID) }

  @Test("are fetched once, and once more at most in a minute for keys that were not there")
  func rotation() async throws {
    let gatehouse = try await TestInstallation()
    let publisher = try KeyPublisher([first])
    let client = try await gatehouse.keyClient { $0.options.keys = .at(publisher.url) }
    for _ in 0..<3 { #expect(await gatehouse.token(try client.proof()).status == .ok) }
    #expect(publisher.asked == 1)
    let next = try SigningKey.generate(.es256)
    publisher.change { $0.keys.append(JWK(next.publicKey, keyID: "two")) }
    for _ in 0..<2 {
      #expect(await gatehouse.token(try client.proof(client.assertion(key: next, keyID: "two"))).status == .ok)
    }
    #expect(publisher.asked == 2)
    for keyID in ["three", "four"] {
      let unknown = try client.proof(client.assertion(key: next, keyID: keyID))
      #expect(try await gatehouse.token(unknown).error == "invalid_client")
    }
    #expect(publisher.asked == 2)
    await publisher.stop()
  }

  @Test("that are not to be had end nothing for others, and are asked for again by themselves")
  func unreachable() async throws {
    let gatehouse = try await TestInstallation()
    let publisher = try KeyPublisher([first])
    publisher.change { $0.status = .internalServerError }
    let client = try await gatehouse.keyClient { $0.options.keys = .at(publisher.url) }
    let other = try await gatehouse.keyClient()
    let answers = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<5 { group.addTask { await gatehouse.token((try? client.proof()) ?? []) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.allSatisfy { $0.status == .serviceUnavailable && $0.headers["retry-after"] == "5" })
    #expect(try answers.allSatisfy { try $0.error == "temporarily_unavailable" })
    #expect(publisher.asked == 1, "one question for all")
    #expect(await gatehouse.token(try other.proof()).status == .ok)
    await publisher.stop()
  }

  @Test(
    "are never fetched from within our own network",
    arguments: ["https://192.168.1.1/keys", "https://169.254.169.254/keys", "https://[fd00::1]/keys"])
  func guarded(url: String) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient { $0.options.keys = .at(url) }
    #expect(try await gatehouse.token(client.proof()).error == "temporarily_unavailable")
  }
}

@Suite("The registered way of authentication", .timeLimit(.minutes(1)))
struct RegisteredMethodTests {
  @Test("is the only one that is taken", arguments: ClientAuthenticationMethod.allCases)
  func only(_ method: ClientAuthenticationMethod) async throws {
    guard !method.usesCertificate, method != .none else { return }
    let gatehouse = try await TestInstallation()
    var secret = ""
    let client = try await gatehouse.keyClient {
      $0.options.authentication = method
      if method.usesSecret { $0.options.keys = nil }
    }
    if method.usesSecret {
      let made = try await ChangeClient(gatehouse.here).rotateSecret(
        of: client.client.id, by: nil, TestInstallation.visitor)
      secret = made.secret.revealedText
    }
    let inHeader = await gatehouse.post(
      "/oauth2/token", ["grant_type": "client_credentials"], basic: (client.id, secret))
    #expect((inHeader.status == .ok) == [.secret, .secretBasic].contains(method))
    if inHeader.status != .ok {
      #expect(inHeader.status == .unauthorized && inHeader.headers["www-authenticate"] != nil)
    }
    let inForm = await gatehouse.token([("client_id", client.id), ("client_secret", secret)])
    #expect((inForm.status == .ok) == [.secret, .secretPost].contains(method))
    if inForm.status != .ok { #expect(try inForm.error == "invalid_client") }
    let asserted = await gatehouse.token(try client.proof())
    #expect((asserted.status == .ok) == (method == .privateKeyJWT))
    #expect(try await gatehouse.token([("client_id", client.id)]).error == "invalid_client")
  }

  @Test("is one at a time: an assertion beside a secret, in the form or the header, is an invalid request")
  func twoMethods() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient()
    let both = await gatehouse.token(try client.proof() + [("client_secret", "s"), ("client_id", client.id)])
    #expect(both.status == .badRequest)
    #expect(try both.error == "invalid_request")
    var form: QueryItems = ["grant_type": "client_credentials"]
    for (name, value) in try client.proof() { form.append(name, value) }
    #expect(try await gatehouse.post("/oauth2/token", form, basic: (client.id, "s")).error == "invalid_request")
  }

  @Test("a secret that expired is told so to whoever still has it, and to nobody else")
  func expired() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let rotated = try await ChangeClient(gatehouse.here).rotateSecret(
      of: client.client.id, by: nil, TestInstallation.visitor)
    gatehouse.time.advance(by: try #require(rotated.previousEndsAt) - gatehouse.time.now)
    func description(_ secret: String) async throws -> String? {
      try await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: (client.id, secret)).json
        .string("error_description")
    }
    #expect(try await description(client.secret)?.contains("expired") == true)
    #expect(try await description("wrong")?.contains("expired") == false)
  }
}
