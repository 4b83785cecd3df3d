internal import COpenSSL
import Glibc

/// Owner of one `SSL_CTX`: a certificate, its key, and the rules of the handshake.
///
/// The rules are Mozilla's "intermediate" profile without its finite-field suites: TLS 1.2 and 1.3, forward secrecy,
/// authenticated encryption, no compression, no renegotiation.
///
/// Sendable because after ``load(_:)`` the only call on the context is `SSL_new`, which locks and counts inside OpenSSL
/// (CRYPTO_THREAD, "Thread safety" in openssl-threads(7)).
@safe struct ServerIdentity: ~Copyable, @unchecked Sendable {
  let context: OpaquePointer

  /// TLS 1.2 only; those of TLS 1.3 are all fit and stay OpenSSL's.
  private static let suites =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
  private static let groups = "X25519:prime256v1:secp384r1"
  /// `SSL_OP_NO_COMPRESSION` and `SSL_OP_NO_RENEGOTIATION`, macros with arguments that Swift cannot import.
  private static let options: UInt64 = 1 << 17 | 1 << 30

  /// Makes an empty context; ``load(_:)`` makes it usable.
  init() throws(TLSFailure) {
    guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
      throw .configuration("OpenSSL gives no context: \(TLSFailure.takeReason())")
    }
    unsafe self.context = context
  }

  deinit { unsafe SSL_CTX_free(context) }

  /// Applies the rules and reads the files.
  ///
  /// - Throws: ``TLSFailure/configuration(_:)`` with the file's name and the reason.
  func load(_ files: CertificateFiles, asksForCertificates: Bool) throws(TLSFailure) {
    try applyRules()
    // Whoever shows a certificate proves to hold its key; who issued it is asked where it is to count.
    if asksForCertificates { unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { _, _ in 1 } }
    ERR_clear_error()
    try check(
      unsafe SSL_CTX_use_certificate_chain_file(context, files.chain), files.chain, "is no PEM certificate chain")
    unsafe SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    try check(
      unsafe SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM), files.key,
      "is no unencrypted PEM key that fits the certificate in \(files.chain)")
    try check(unsafe SSL_CTX_check_private_key(context), files.key, "does not belong to \(files.chain)")
  }

  private func applyRules() throws(TLSFailure) {
    unsafe SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    unsafe SSL_CTX_set_options(context, Self.options)
    unsafe SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
    // Sessions live in the tickets the clients keep; a cache here would only cost memory and a lock.
    unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    let name = Array("gatehouse".utf8)
    let groupsAccepted = unsafe Self.groups.withCString {
      unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutablePointer(mutating: $0)) == 1
    }
    let accepted =
      unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1
      && SSL_CTX_set_cipher_list(context, Self.suites) == 1
      && groupsAccepted
      && SSL_CTX_set_session_id_context(context, name, UInt32(name.count)) == 1
    guard accepted else { throw .configuration("OpenSSL refuses the TLS settings: \(TLSFailure.takeReason())") }
  }

  private func check(_ result: Int32, _ file: String, _ complaint: String) throws(TLSFailure) {
    guard result != 1 else { return }
    let unreadable = unsafe access(file, R_OK) != 0 ? String(cString: strerror(errno)) : nil
    let reason = TLSFailure.takeReason()
    guard let unreadable else { throw .configuration("\(file) \(complaint): \(reason)") }
    throw .configuration("\(file) cannot be read: \(unreadable)")
  }
}

/// Chooses `http/1.1` where the client names protocols; without it the handshake ends (RFC 7301 §3.2).
private func selectProtocol(
  _: OpaquePointer?, chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, chosenCount: UnsafeMutablePointer<UInt8>?,
  offered: UnsafePointer<UInt8>?, offeredCount: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
  guard let chosen = unsafe chosen, let offered = unsafe offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  let wanted = "http/1.1"
  var start = 0
  while start < Int(offeredCount) {
    let name = unsafe UnsafeBufferPointer(start: offered + start + 1, count: Int(offered[start]))
    if start + 1 + name.count <= Int(offeredCount), unsafe name.elementsEqual(wanted.utf8) {
      unsafe chosen.pointee = unsafe offered + start + 1
      unsafe chosenCount?.pointee = UInt8(name.count)
      return SSL_TLSEXT_ERR_OK
    }
    start += 1 + name.count
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}
