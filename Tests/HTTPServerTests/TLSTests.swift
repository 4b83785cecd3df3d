import HTTP
import HTTPServer
import TLS
import Testing

@Suite(.onOwnThread) struct TLSTests {
  private let directory = TemporaryDirectory()
  private var files: CertificateFiles {
    CertificateFiles(chain: "\(directory.path)/c.pem", key: "\(directory.path)/k.pem")
  }

  init() { makeCertificate(name: "first.test") }

  @Test("A client of the present versions is served over https", arguments: ["-tls1_3", "-tls1_2"])
  func versions(option: String) async throws {
    let server = try TestServer.start(tls: TLSContext(files: files))
    let answer = client(server, "\(option) -alpn h2,http/1.1")
    #expect(answer.contains("GET / [] from 127.0.0.1 over https"))
    #expect(answer.contains("ALPN protocol: http/1.1"))
    await server.stop(within: .seconds(5))
  }

  @Test("A ticket from an earlier session shortens the handshake", arguments: ["-tls1_3", "-tls1_2"])
  func resumption(option: String) async throws {
    let server = try TestServer.start(tls: TLSContext(files: files))
    let first = client(server, "\(option) -sess_out \(directory.path)/session")
    #expect(first.contains("New, TLSv1"))
    let second = client(server, "\(option) -sess_in \(directory.path)/session")
    #expect(second.contains("Reused, TLSv1"))
    #expect(second.contains("over https"))
    await server.stop(within: .seconds(5))
  }

  @Test(
    "Old versions, weak suites and foreign protocols get no session",
    arguments: [
      "-tls1_1 -cipher DEFAULT@SECLEVEL=0", "-tls1_2 -cipher AES128-SHA", "-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256",
      "-alpn h2",
    ])
  func refused(options: String) async throws {
    let server = try TestServer.start(tls: TLSContext(files: files))
    #expect(!client(server, options).contains("over https"))
    #expect(client(server, "").contains("over https"))
    await server.stop(within: .seconds(5))
  }

  @Test("A large answer and many requests go through one session")
  func large() async throws {
    let server = try TestServer.start(tls: TLSContext(files: files)) { request in
      Response(status: .ok, body: .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 300_000)))
    }
    let answer = client(server, "", request: String(repeating: "GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", count: 4))
    #expect(answer.utf8.filter { $0 == UInt8(ascii: "x") }.count >= 5 * 300_000)
    await server.stop(within: .seconds(5))
  }

  @Test("Answers that slow readers take piece by piece arrive whole, of which many are due at once")
  func slowReaders() async throws {
    let gate = Gate()
    let server = try TestServer.start(tls: TLSContext(files: files), loops: 1) { _ in
      await gate.pass()
      return Response(status: .ok, body: .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 60_000)))
    }
    // Their windows hold a small part of an answer, so that the server has to wait for each of them.
    directory.write(
      """
      import socket, ssl, sys
      context = ssl.create_default_context()
      context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
      clients = []
      for _ in range(20):
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        plain.settimeout(10)
        plain.connect(("127.0.0.1", \(server.port)))
        clients.append(context.wrap_socket(plain))
      for client in clients: client.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
      for client in clients:
        count = 0
        while count < 60000: count += (client.recv(65536) or sys.exit("cut")).count(b"x")
      print("whole")
      """, to: "readers.py")
    let script = "\(directory.path)/readers.py"
    let readers = Task.detached { Shell.run("python3 \(script)") }
    while server.figures.requests < 20 { await Task.yield() }
    gate.open()
    #expect(await readers.value == "whole\n")
    await server.stop(within: .seconds(5))
  }

  @Test("A handshake that is not finished in time ends the connection", arguments: ["", "\u{16}\u{03}\u{01}"])
  func slowHandshake(start: String) async throws {
    var limits = Limits()
    limits.handshake = .milliseconds(100)
    let server = try TestServer.start(limits: limits, tls: TLSContext(files: files))
    let client = try RawClient(port: server.port)
    client.send(start)
    #expect(client.receiveAll().isEmpty)
    await server.stop(within: .seconds(5))
  }

  @Test("HTTP on the HTTPS port is not answered in clear")
  func plainRequest() async throws {
    let server = try TestServer.start(tls: TLSContext(files: files))
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(!client.receiveAll().contains("HTTP/1.1"))
    await server.stop(within: .seconds(5))
  }

  @Test(
    "A client is asked for its certificate where that is wanted alone, need not have one, and shows it once a session")
  func clientCertificate() async throws {
    let handler: Server.Handler = { request in
      Response(status: .ok, body: .bytes(Array("showed \(request.clientCertificate?.count ?? 0) bytes".utf8)))
    }
    let asking = try TestServer.start(tls: TLSContext(files: files, asksForCertificates: true), handler: handler)
    let other = try TestServer.start(tls: TLSContext(files: files), handler: handler)
    let size = Shell.run("openssl x509 -in \(files.chain) -outform der | wc -c").filter(\.isNumber)
    let own = "-cert \(files.chain) -key \(files.key)"
    for version in ["-tls1_3", "-tls1_2"] {
      let session = "\(directory.path)/session"
      #expect(client(asking, "\(version) \(own) -sess_out \(session)").contains("showed \(size) bytes"))
      let again = client(asking, "\(version) -sess_in \(session)")
      #expect(again.contains("Reused, TLSv1") && again.contains("showed \(size) bytes"))
      #expect(client(asking, version).contains("showed 0 bytes"))
      #expect(client(other, "\(version) \(own)").contains("showed 0 bytes"))
    }
    for server in [asking, other] { await server.stop(within: .seconds(5)) }
  }

  @Test("A renewed certificate is used from then on; an unfit one is refused and the old one stays")
  func reload() async throws {
    let context = try TLSContext(files: files)
    let server = try TestServer.start(tls: context)
    #expect(try context.reloadIfChanged() == false)
    makeCertificate(name: "second.test")
    #expect(try context.reloadIfChanged())
    #expect(client(server, "").contains("CN = second.test"))
    directory.write("nonsense", to: "c.pem")
    let failure = #expect(throws: TLSFailure.self) { try context.reloadIfChanged() }
    #expect(failure?.description.contains("\(directory.path)/c.pem is no PEM certificate chain") == true)
    #expect(client(server, "").contains("CN = second.test"))
    await server.stop(within: .seconds(5))
  }

  @Test(
    "Files that cannot be used are named, with the reason",
    arguments: [
      ("rm c.pem", "c.pem cannot be read: No such file"),
      ("openssl ecparam -name prime256v1 -genkey -out k.pem", "k.pem"),
      (
        "openssl ec -aes128 -passout pass:x -in k.pem -out k2.pem && mv k2.pem k.pem", "k.pem is no unencrypted PEM key"
      ),
    ])
  func unfit(command: String, complaint: String) throws {
    _ = Shell.run("cd \(directory.path) && \(command)")
    let failure = #expect(throws: TLSFailure.self) { try TLSContext(files: files) }
    #expect(failure?.description.contains(complaint) == true)
  }

  private func makeCertificate(name: String) {
    _ = Shell.run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name)"
        + " -keyout \(files.key) -out \(files.chain)")
  }

  /// What `openssl s_client` prints when it sends `request` and a last one that closes.
  private func client(_ server: Server, _ options: String, request: String = "") -> String {
    Shell.run(
      "printf '\(request)GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n'"
        + " | timeout 10 openssl s_client -connect 127.0.0.1:\(server.port) -ign_eof \(options)")
  }
}
