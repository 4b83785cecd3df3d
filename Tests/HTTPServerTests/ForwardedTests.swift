import HTTP
import HTTPServer
import Testing

@Suite(.onOwnThread) struct ForwardedTests {
  @Test(
    "Behind a trusted proxy the address and scheme are those it names",
    arguments: [
      ("X-Forwarded-For: 198.51.100.7\r\nX-Forwarded-Proto: https", "198.51.100.7 over https"),
      ("X-Forwarded-For: 198.51.100.7\r\nX-Forwarded-Proto: http", "198.51.100.7 over http"),
      ("X-Forwarded-For: 6.6.6.6, 198.51.100.7, 10.0.0.2", "198.51.100.7 over https"),
      ("X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 198.51.100.7", "198.51.100.7 over https"),
      ("X-Forwarded-For: unknown, 10.0.0.2", "10.0.0.2 over https"),
      ("Forwarded: for=6.6.6.6, for=\"[2001:db8::7]:4711\";proto=https", "2001:db8::7 over https"),
      ("Forwarded: for=198.51.100.7\r\nX-Forwarded-For: 198.51.100.7", "198.51.100.7 over https"),
      ("Forwarded: for=198.51.100.7;host=\"x,for=6.6.6.6;proto=http\"", "198.51.100.7 over https"),
      ("Forwarded: host=\"a\\\"b,c\";for=\"198.51.100.7\";;", "198.51.100.7 over https"),
      ("X-Other: 1", "127.0.0.1 over https"),
    ])
  func trusted(fields: String, expected: String) async throws {
    let server = try TestServer.start(trustedProxies: [
      AddressRange(configured: "127.0.0.0/8"), AddressRange(configured: "10.0.0.0/8"),
    ])
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n")
    #expect(client.receiveAnswer().body == "GET / [] from \(expected)")
    await server.stop(within: .seconds(5))
  }

  @Test(
    "Fields that contradict each other, or say something twice, are refused: one of them may be the client's own",
    arguments: [
      "Forwarded: for=6.6.6.6\r\nX-Forwarded-For: 198.51.100.7", "Forwarded: for=198.51.100.7;host=x;for=6.6.6.6",
      "Forwarded: for=198.51.100.7;host=\"x", "Forwarded: 198.51.100.7",
    ])
  func contradiction(fields: String) async throws {
    let server = try TestServer.start(trustedProxies: [AddressRange(configured: "127.0.0.1")])
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n")
    #expect(client.receiveAll().hasPrefix("HTTP/1.1 400 "))
    await server.stop(within: .seconds(5))
  }

  @Test(
    "A client certificate counts from a trusted proxy alone, in the field that it is configured to set",
    arguments: [
      ("Client-Cert: :AQID:", true, "3"), ("Client-Cert: AQID", true, "3"), ("Client-Cert: :AQID:", false, "0"),
      ("Other: :AQID:", true, "0"), ("Client-Cert: ", true, "0"),
      ("Client-Cert: -----BEGIN%20CERTIFICATE-----%0AAQID%0A-----END%20CERTIFICATE-----%0A", true, "3"),
    ])
  func certificate(field: String, isTrusted: Bool, expected: String) async throws {
    let server = try TestServer.start(
      trustedProxies: [AddressRange(configured: isTrusted ? "127.0.0.1" : "10.0.0.1")], certificateField: "client-cert"
    ) { request in Response(status: .ok, body: .bytes(Array("\(request.clientCertificate?.count ?? 0)".utf8))) }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
    #expect(client.receiveAnswer().body == expected)
    await server.stop(within: .seconds(5))
  }

  @Test(
    "A certificate that a trusted proxy garbles, or passes on twice, is an error",
    arguments: [
      "Client-Cert: :A:", "Client-Cert: %zz", "Client-Cert: :AQID:\r\nClient-Cert: :AQID:",
      "Client-Cert: -----BEGIN CERTIFICATE-----AQID", "Client-Cert: -----BEGIN CERTIFICATE-----END CERTIFICATE-----",
    ])
  func garbledCertificate(field: String) async throws {
    let server = try TestServer.start(
      trustedProxies: [AddressRange(configured: "127.0.0.1")], certificateField: "client-cert")
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
    #expect(client.receiveAll().hasPrefix("HTTP/1.1 400 "))
    await server.stop(within: .seconds(5))
  }

  @Test("Nobody else's word counts")
  func untrusted() async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\n\r\n")
    #expect(client.receiveAnswer().body == "GET / [] from 127.0.0.1 over http")
    await server.stop(within: .seconds(5))
  }
}
