import Crypto
import HTTP
import Testing

@testable import HTTPClient

@Suite("A server that is trusted by its key", .timeLimit(.minutes(1)))
struct PinTests {
  let client: OutboundClient

  init() throws { client = try OutboundClient() }

  /// Its key, as it shows it itself.
  private func pin(of server: TLSServer, until: Int64 = .max) async throws -> ServerPin {
    var request = server.request()
    request.observesHandshake = true
    let leaf = try #require(try await client.send(request).handshake?.chain.first)
    return ServerPin(publicKey: try CertificateFacts(der: leaf).publicKeyFingerprint, until: until)
  }

  /// The status of the answer, or why there was none.
  private func ask(_ server: TLSServer, _ pin: ServerPin?, observed: Bool = false) async -> (
    Int?, OutboundFailure.Kind?
  ) {
    var request = server.request()
    request.authorities = nil
    request.pin = pin
    request.observesHandshake = observed
    do throws(OutboundFailure) { return (try await client.send(request).status.code, nil) } catch {
      switch error {
      case .notSent(let cause), .incomplete(let cause): return (nil, cause.kind)
      case .refusedByPolicy, .tooLarge: return (nil, nil)
      }
    }
  }

  @Test("is trusted with it and without any known authority, and with no other", arguments: [false, true])
  func key(observed: Bool) async throws {
    let (server, other) = (try TLSServer(), try TLSServer())
    let right = try await pin(of: server)
    #expect(await ask(server, right, observed: observed) == (200, nil))
    #expect(await ask(server, nil, observed: observed) == (nil, .certificate))
    #expect(await ask(server, try pin(of: other), observed: observed) == (nil, .otherKey))
    #expect(await ask(other, right, observed: observed) == (nil, .otherKey))
  }

  @Test("is trusted for no other name, and not after its certificate's end")
  func certificate() async throws {
    let (named, old) = (try TLSServer(name: "elsewhere.example"), try TLSServer(days: -1))
    for (server, name) in [(named, "localhost"), (old, "localhost")] {
      var request = server.request(host: name)
      request.observesHandshake = true
      let failure = await #expect(throws: OutboundFailure.self) { try await client.send(request) }
      guard case .notSent(let cause) = failure, let leaf = cause.handshake?.chain.first else {
        Issue.record("no chain")
        continue
      }
      let key = try CertificateFacts(der: leaf).publicKeyFingerprint
      #expect(await ask(server, ServerPin(publicKey: key, until: .max)) == (nil, .certificate))
    }
  }

  @Test("is trusted until the approval ends, also on a kept connection")
  func end() async throws {
    let server = try TLSServer()
    let ended = try await pin(of: server, until: 1)
    #expect(await ask(server, ended) == (nil, .approvalEnded))
    let standing = ServerPin(publicKey: ended.publicKey, until: .max)
    #expect(await ask(server, standing) == (200, nil))
    // What is trusted otherwise has connections of its own.
    #expect(await ask(server, ended) == (nil, .approvalEnded))
    #expect(await ask(server, nil) == (nil, .certificate))
  }
}
