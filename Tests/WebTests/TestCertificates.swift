import Crypto
import FileSystem
import Glibc
import Testing

/// Certificates of apps, made by the tools of OpenSSL.
struct TestCertificates {
  /// Of the authority, in PEM.
  let authority: [UInt8]
  /// In DER; what the authority issued, what the app made itself, and what another authority issued for the same names.
  let issued: [UInt8]
  let own: [UInt8]
  let foreign: [UInt8]

  private static let names = "DNS:app.example,URI:urn:app:one,email:app@example.org,IP:192.0.2.7,IP:2001:db8::7"

  /// Made once for all tests.
  static let shared = Result { try TestCertificates() }

  private init() throws {
    var template = Array("/tmp/gatehouse-test-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template)
    try #require(unsafe made != nil)
    let path = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    let new = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    let commands = ["ca", "other"].map { ca in
      """
      \(new) -x509 -days 2 -subj '/CN=Authority \(ca)' -keyout \(ca).key -out \(ca).pem
      \(new) -subj '/O=City, of Ana/CN=app' -keyout \(ca)-app.key -out \(ca)-app.csr
      openssl x509 -req -in \(ca)-app.csr -CA \(ca).pem -CAkey \(ca).key -CAcreateserial -days 2 -extfile names \
        -outform der -out \(ca)-app.der
      """
    }
    let script = """
      cd \(path)
      printf 'subjectAltName=\(Self.names)\\nextendedKeyUsage=clientAuth\\n' >names
      \(commands.joined(separator: "\n"))
      \(new) -x509 -days 2 -subj '/CN=own' -keyout own.key -outform der -out own.der
      """
    _ = unsafe system("( \(script) ) >/dev/null 2>&1")
    func read(_ name: String) throws -> [UInt8] {
      try #require(try Directory.files(in: path).first { $0.name == name }, "\(name)").bytes
    }
    authority = try read("ca.pem")
    (issued, own, foreign) = (try read("ca-app.der"), try read("own.der"), try read("other-app.der"))
    _ = unsafe system("rm -rf \(path)")
  }
}
