import HTTP
import Testing

@testable import HTTPClient

@Suite("Network credentials", .timeLimit(.minutes(1)))
struct NetworkCredentialTests {
  let client: OutboundClient

  init() throws { client = try OutboundClient() }

  private func credential(
    _ scheme: NetworkCredential.Login.Scheme, _ name: String = "ana", generation: Int64 = 1
  ) throws -> NetworkCredential {
    let login: NetworkCredential.Login = try #require(
      .init(scheme, username: Array(name.utf8), password: Array("påss:wörd".utf8)))
    return NetworkCredential(owner: .init(credential: name, generation: generation), login: login)
  }

  @Test("Basic goes along at once, byte for byte, and is tried once")
  func basic() async throws {
    let server = try WireServer { wire in
      while wire.request() != nil {
        wire.answer("no", "WWW-Authenticate: Basic realm=\"gis\"\r\n", status: "401 Unauthorized")
      }
    }
    var request = server.request()
    request.network = try credential(.basic)
    #expect(await outcome(client, request) == .answer(401))
    #expect(server.seen.requests.count == 1)
    // What `printf 'ana:påss:wörd' | base64` prints.
    #expect(server.seen.requests[0].contains("Authorization: Basic YW5hOnDDpXNzOnfDtnJk\r\n"))
    #expect(await outcome(client, server.request()) == .answer(401))
    #expect(!server.seen.requests[1].contains("Authorization"))
  }

  /// Asks everybody without a Digest answer for one, and takes any.
  private static func digestServer(_ challenges: String) throws -> WireServer {
    try WireServer { wire in
      while let head = wire.receive(through: "\r\n\r\n") {
        wire.server.note(head)
        if head.contains("Authorization: Digest") {
          let isChunked = head.contains("Transfer-Encoding: chunked")
          if isChunked, !head.contains("0\r\n\r\n") { wire.server.note(wire.receive(through: "0\r\n\r\n") ?? "") }
          wire.answer("done")
        } else {
          wire.answer("who?", challenges, status: "401 Unauthorized")
        }
      }
    }
  }

  private static let md5 = "WWW-Authenticate: Digest realm=\"gis\", qop=\"auth\", nonce=\"abc\", algorithm=MD5\r\n"
  private static let sha256 =
    "WWW-Authenticate: Digest realm=\"gis\", qop=\"auth\", nonce=\"def\", algorithm=SHA-256\r\n"

  @Test("Digest sends a streamed body only with its answer, and nobody is shown the question")
  func digestUpload() async throws {
    let server = try Self.digestServer(Self.md5)
    let pipe = BytePipe()
    var request = server.request()
    request.method = .put
    request.stream = Request.Stream(pipe, length: nil)
    request.network = try credential(.digest)
    try await pipe.write(Array("features".utf8))
    pipe.finish()
    let answer = try await client.open(request)
    #expect(answer.status == 200)
    #expect(try await answer.body.read() == Array("done".utf8))
    let requests = server.seen.requests
    #expect(requests[0].contains("Content-Length: 0\r\n") && !requests[0].contains("features"))
    #expect(requests[1].contains("username=\"ana\"") && requests.dropFirst().joined().contains("features"))
  }

  @Test("Of two Digest algorithms the stronger one is taken")
  func strongerDigest() async throws {
    let server = try Self.digestServer(Self.sha256 + Self.md5)
    var request = server.request()
    request.network = try credential(.digest)
    #expect(await outcome(client, request) == .answer(200))
    #expect(server.seen.requests[1].contains("algorithm=SHA-256"))
  }

  @Test("A wrong password is tried once with Digest, and its answer is handed on with its body")
  func wrongDigest() async throws {
    let server = try WireServer { wire in
      while wire.request() != nil { wire.answer("no", Self.md5, status: "401 Unauthorized") }
    }
    var request = server.request()
    request.network = try credential(.digest)
    let answer = try await client.open(request)
    #expect(answer.status == 401)
    #expect(try await answer.body.read() == Array("no".utf8))
    #expect(server.seen.requests.map { $0.contains("Authorization: Digest") } == [false, true])
  }

  @Test("A challenge that one person met is answered to nobody else's server")
  func challengeForgotten() async throws {
    let first = try Self.digestServer(Self.md5)
    let second = try Self.digestServer(Self.sha256)
    // A challenge that was only looked at counts, too.
    #expect(await outcome(client, first.request()) == .answer(401))
    for server in [first, second] {
      var request = server.request()
      request.network = try credential(.digest)
      #expect(await outcome(client, request) == .answer(200))
    }
    #expect(!first.seen.requests[1].contains("Authorization"))
    #expect(!second.seen.requests[0].contains("Authorization"))
  }

  /// Lets a connection in for good after the three messages of NTLM, whoever that is.
  private static func ntlmServer() throws -> WireServer {
    try WireServer { wire in
      var isKnown = false
      while let request = wire.request() {
        if isKnown || request.contains("Authorization: NTLM TlRMTVNTUAAD") {
          isKnown = true
          wire.answer("done")
        } else if request.contains("Authorization: NTLM TlRMTVNTUAAB") {
          wire.answer("", "WWW-Authenticate: NTLM \(Self.question)\r\n", status: "401 Unauthorized")
        } else {
          wire.answer("", "WWW-Authenticate: NTLM\r\n", status: "401 Unauthorized")
        }
      }
    }
  }

  /// The second message of NTLM, without target information.
  private static let question = "TlRMTVNTUAACAAAAAAAAADAAAAABAoIAASNFZ4mrze8AAAAAAAAAAAAAAAAwAAAA"

  @Test("NTLM authenticates a connection for one owner, which nobody else ever gets")
  func ntlmConnections() async throws {
    let server = try Self.ntlmServer()
    func connection(_ name: String, _ generation: Int64 = 1) async throws -> String? {
      var request = server.request(post: "layer=1")
      request.network = try credential(.ntlm, name, generation: generation)
      let answer = try await client.send(request)
      #expect(answer.status == 200)
      return answer.headers["x-connection"]
    }
    #expect(try await connection("ana") == "1")
    #expect(try await connection("ben") == "2")
    #expect(try await connection("ana") == "1")
    #expect(try await connection("ana", 2) == "3")
    #expect(try await connection("ben") == "2")
    #expect(await outcome(client, server.request()) == .answer(401))
    #expect(server.seen.requests.count { $0.hasSuffix("layer=1") } == 5)
    #expect(server.seen.connections == 4)
  }

  @Test("A streamed body goes over a new NTLM connection, since it could not be sent twice")
  func ntlmUpload() async throws {
    let server = try Self.ntlmServer()
    for _ in 0..<2 {
      let pipe = BytePipe()
      var request = server.request()
      request.method = .put
      request.stream = Request.Stream(pipe, length: 8)
      request.network = try credential(.ntlm)
      try await pipe.write(Array("features".utf8))
      pipe.finish()
      #expect(try await client.open(request).status == 200)
    }
    #expect(server.seen.connections == 2)
    #expect(server.seen.requests.map { $0.hasSuffix("features") } == [false, true, false, true])
  }

  @Test("The connections of a credential close when it ends, one in use when it is given back")
  func closing() async throws {
    let server = try Self.ntlmServer()
    for name in ["ana", "ben"] {
      var request = server.request()
      request.network = try credential(.ntlm, name)
      #expect(await outcome(client, request) == .answer(200))
    }
    client.closeConnections(of: "ana")
    try await eventually { server.seen.closed == 1 }
    var request = server.request()
    request.network = try credential(.ntlm, "ben")
    #expect(try await client.send(request).headers["x-connection"] == "2")
    #expect(server.seen.closed == 1)
  }

  @Test("Nothing that prints it shows it")
  func hidden() throws {
    let secret = try credential(.basic)
    var shown = "\(secret) \(secret.login as Any)"
    dump(secret, to: &shown)
    debugPrint(secret, to: &shown)
    #expect(!shown.contains("ana") && !shown.contains("112"))
  }
}
