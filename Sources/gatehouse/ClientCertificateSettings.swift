import Crypto
import Flows
import HTTPServer
import TLS
import Web

extension Configuration {
  /// How the certificates of apps come here.
  ///
  /// - Throws: ``Failure`` when the file of their authorities holds none.
  func clientCertificates() throws -> ClientCertificates {
    var authorities: ClientAuthorities?
    if let clientAuthorities {
      do { authorities = try ClientAuthorities(pem: Files.read(clientAuthorities)) } catch is CryptoError {
        throw Failure(
          description:
            "\(clientAuthorities) holds no readable certificates: check \(Setting.clientAuthorities.variable).")
      }
    }
    return ClientCertificates(
      areTaken: certificateListen != nil || certificateHeader != nil, authorities: authorities,
      alias: certificateListen.map { "\(external.host(withPort: $0.port))\(external.basePath)" })
  }

  /// The second listener's own context: it alone asks for certificates.
  func certificateTLS() throws(TLSFailure) -> TLSContext? {
    guard certificateListen != nil, let tlsCertificate, let tlsKey else { return nil }
    return try TLSContext(
      files: CertificateFiles(chain: tlsCertificate, key: tlsKey), asksForCertificates: true)
  }
}
