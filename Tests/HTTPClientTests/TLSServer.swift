import Glibc
import HTTP

@testable import HTTPClient

/// A server that speaks TLS, in a process of its own, with certificates made for it by `openssl`.
///
/// It answers every request 200 and tells in `X-Connection` which connection it came on and in `X-Resumed` whether that
/// one's TLS session was resumed; `/close` ends the connection. It can ask for a certificate of the client.
@safe final class TLSServer {
  let port: Int
  /// The certificate of the authority that the server's own is signed by.
  let authority: String
  private let folder: String
  private let process: Int32
  private let output: UnsafeMutablePointer<FILE>

  struct Failure: Error {
    let command: String
  }

  /// Whether the server asks for a client certificate of its authority, and in which version of TLS.
  enum ClientCertificate: String {
    case no
    case optional
    case required
    case requiredByTLS12
  }

  /// Starts a server whose certificate names `name` and is good for `days` from now.
  init(name: String = "localhost", days: Int = 2, clientCertificate: ClientCertificate = .no) throws {
    folder = try Self.temporaryFolder()
    authority = folder + "/ca.pem"
    try Self.write(Self.script, to: folder + "/make.sh")
    try Self.write(Self.program, to: folder + "/serve.py")
    let made = "sh \(folder)/make.sh \(folder) \(name) \(days) >\(folder)/log 2>&1"
    guard unsafe system(made) == 0 else { throw Failure(command: made) }
    guard let output = unsafe popen("exec python3 \(folder)/serve.py \(folder) \(clientCertificate.rawValue)", "r")
    else {
      throw Failure(command: "python3")
    }
    unsafe self.output = output
    var line = [CChar](repeating: 0, count: 64)
    _ = unsafe fgets(&line, Int32(line.count), output)
    let numbers = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count == 2 else { throw Failure(command: "serve.py") }
    (process, port) = (Int32(numbers[0]), numbers[1])
  }

  deinit {
    // The threads of the cooperative pool block signals, and so does a process that they start.
    kill(process, SIGKILL)
    unsafe pclose(output)
    _ = unsafe system("rm -r \(folder)")
  }

  func request(_ path: String = "/", host: String = "localhost") -> OutboundRequest {
    var request = OutboundRequest(.get, "https://\(host):\(port)\(path)")
    request.reach = Reach(
      endpoints: [.init(host: host, port: port)], networks: ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) })
    request.authorities = authority
    return request
  }

  private static func temporaryFolder() throws -> String {
    var path = Array("/tmp/gatehouse-tls-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&path) != nil else { throw Failure(command: "mkdtemp") }
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func write(_ text: String, to path: String) throws {
    guard let file = unsafe fopen(path, "w") else { throw Failure(command: path) }
    unsafe fputs(text, file)
    unsafe fclose(file)
  }

  private static let script = """
    set -e; cd "$1"
    ec="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    openssl req -x509 $ec -keyout ca.key -out ca.pem -subj "/CN=Test authority" -days 3
    openssl req $ec -keyout key.pem -out request.pem -subj "/CN=$2"
    echo "subjectAltName=DNS:$2" > names
    openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days $3 -extfile names -out cert.pem
    """

  private static let program = """
    import http.server, itertools, os, ssl, sys
    folder, numbers = sys.argv[1], itertools.count(1)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        def setup(self):
            super().setup()
            self.number = next(numbers)
        def do_GET(self):
            self.send_response(200)
            self.send_header("X-Connection", str(self.number))
            self.send_header("X-Resumed", str(self.connection.session_reused))
            self.send_header("Content-Length", "2")
            if self.path == "/close": self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"ok")
        def log_message(self, *rest): pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        def handle_error(self, *rest): pass
        def finish_request(self, request, address):
            request.do_handshake()
            super().finish_request(request, address)

    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    if sys.argv[2] != "no":
        context.load_verify_locations(folder + "/ca.pem")
        context.verify_mode = ssl.CERT_OPTIONAL if sys.argv[2] == "optional" else ssl.CERT_REQUIRED
    if sys.argv[2] == "requiredByTLS12": context.maximum_version = ssl.TLSVersion.TLSv1_2
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(os.getpid(), server.server_address[1], flush=True)
    server.serve_forever()
    """
}
