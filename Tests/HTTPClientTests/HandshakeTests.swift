import HTTP
import Testing

@testable import HTTPClient

@Suite("A request that observes the handshake", .timeLimit(.minutes(1)))
struct HandshakeTests {
  let client: OutboundClient

  init() throws { client = try OutboundClient() }

  /// What was seen, and whether there was an answer.
  private func observe(_ request: OutboundRequest) async -> (handshake: Handshake?, status: Int?) {
    var request = request
    request.observesHandshake = true
    do throws(OutboundFailure) {
      let answer = try await client.send(request)
      return (answer.handshake, answer.status.code)
    } catch .notSent(let cause) {
      return (cause.handshake, nil)
    } catch .incomplete(let cause) {
      return (cause.handshake, nil)
    } catch { return (nil, nil) }
  }

  /// Python's servers name no authorities; Apache does, in the end-to-end tests.
  @Test("learns that a client certificate is demanded", arguments: ["required", "requiredByTLS12"])
  func required(kind: String) async throws {
    let kind = try #require(TLSServer.ClientCertificate(rawValue: kind))
    let server = try TLSServer(clientCertificate: kind)
    // Twice, because a resumed session would ask for nothing.
    for _ in 0..<2 {
      let (handshake, status) = await observe(server.request())
      #expect(handshake?.clientAuthorities == [] && status == nil)
    }
  }

  @Test("gets an answer where the certificate is optional, and none of it is asked of others")
  func optional() async throws {
    let server = try TLSServer(clientCertificate: .optional)
    let (handshake, status) = await observe(server.request())
    #expect(handshake?.clientAuthorities == [] && status == 200)
    #expect(try await client.send(server.request()).handshake == nil)
  }

  @Test("has a connection to itself, which is closed behind it")
  func ownConnection() async throws {
    let server = try TLSServer()
    var request = server.request()
    #expect(try await client.send(request).headers["x-connection"] == "1")
    request.observesHandshake = true
    #expect(try await client.send(request).headers["x-connection"] == "2")
    #expect(try await client.send(request).headers["x-connection"] == "3")
    request.observesHandshake = false
    #expect(try await client.send(request).headers["x-connection"] == "1")
  }

  @Test("learns why a certificate is not trusted")
  func distrust() async throws {
    let good = try TLSServer()
    var stranger = good.request()
    stranger.authorities = nil
    #expect(await observe(stranger).handshake?.distrust == .unknownAuthority)
    let (seen, status) = await observe(good.request())
    #expect(seen?.distrust == nil && seen?.clientAuthorities == nil && seen?.chain.count == 1 && status == 200)
    let (old, other) = (try TLSServer(days: -1), try TLSServer(name: "elsewhere.example"))
    #expect(await observe(old.request()).handshake?.distrust == .expired)
    #expect(await observe(other.request()).handshake?.distrust == .otherHost)
  }
}
