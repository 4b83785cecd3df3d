import CCurl
import COpenSSL

extension CurlHandle {
  /// What the caller is told of an exchange that libcurl ended with `code`.
  func outcome(_ code: CURLcode) -> Result<OutboundResponse, OutboundFailure> {
    guard let exchange else { return .failure(.notSent(.init(.library, "There was no exchange."))) }
    guard code == CURLE_OK else {
      let kind = pin == nil ? Self.kind(of: code) : pinnedKind(of: code)
      return .failure(exchange.failure(.init(kind, explanation(of: code), handshake: handshake(endedBy: kind))))
    }
    do throws(OutboundFailure) {
      return .success(try exchange.response(status: status))
    } catch {
      return .failure(error)
    }
  }

  private func pinnedKind(of code: CURLcode) -> OutboundFailure.Kind {
    let kind = Self.kind(of: code)
    guard kind == .certificate else { return kind }
    switch Int32(truncatingIfNeeded: verifyResult) {
    case PinnedKey.otherKey: return .otherKey
    case PinnedKey.ended: return .approvalEnded
    default: return kind
    }
  }

  private static func kind(of code: CURLcode) -> OutboundFailure.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .name
    case CURLE_COULDNT_CONNECT: .connect
    case CURLE_OPERATION_TIMEDOUT: .timeout
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH: .certificate
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER: .tls
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE: .connectionLost
    // The request was not let go a second time after its kept connection had ended (Exchange.maySend).
    case CURLE_ABORTED_BY_CALLBACK: .connectionLost
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .library
    default: .malformed
    }
  }

  /// What was seen of the handshake, with the reason when it ended for the server's certificate.
  private func handshake(endedBy kind: OutboundFailure.Kind) -> Handshake? {
    var handshake = exchange?.handshake
    if [.certificate, .otherKey, .approvalEnded].contains(kind) {
      handshake?.distrust = Handshake.Distrust(verifyResult: verifyResult)
    }
    return handshake
  }

  /// The path of the system's trusted certificates, as libcurl was built to find them.
  static func systemBundle() -> String? {
    guard let easy = unsafe curl_easy_init() else { return nil }
    defer { unsafe curl_easy_cleanup(easy) }
    var path: UnsafePointer<CChar>?
    guard unsafe ccurl_get_text(easy, CURLINFO_CAINFO, &path) == CURLE_OK else { return nil }
    return unsafe path.map { unsafe String(cString: $0) }
  }
}

extension Handshake.Distrust {
  /// Reads a number of OpenSSL.
  ///
  /// libcurl looks at the name when the chain is good, and before it notes down that it is.
  fileprivate init(verifyResult: Int) {
    switch Int32(truncatingIfNeeded: verifyResult) {
    case X509_V_OK, X509_V_ERR_UNSPECIFIED: self = .otherHost
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      self = .unknownAuthority
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    default: self = .other(verifyResult)
    }
  }
}
