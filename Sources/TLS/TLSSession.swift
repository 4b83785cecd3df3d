internal import COpenSSL

/// The server's end of one TLS connection, apart from any socket: ciphertext and plaintext go in and out as bytes.
///
/// Whoever owns it moves the bytes: ``receive(_:)`` what came from the network, then ``read(into:from:)``; and after
/// every call send what ``takeOutput(into:)`` gives. Not for two threads at once.
@safe public final class TLSSession {
  /// What a read found.
  public enum Outcome: Sendable, Equatable {
    /// So many bytes of plaintext were written.
    case bytes(Int)
    /// Nothing more without more ciphertext; during the handshake there may be output to send.
    case needsInput
    /// The peer said that nothing more comes (`close_notify`).
    case ended
  }

  private let session: OpaquePointer
  /// Owned by the session.
  private let incoming: OpaquePointer
  /// Owned by the session.
  private let outgoing: OpaquePointer

  /// Begins a session that waits for the client's first flight.
  ///
  /// - Throws: ``TLSFailure/session(_:)`` when memory is short.
  public init(_ context: TLSContext) throws(TLSFailure) {
    guard let session = unsafe context.makeSession() else {
      throw .session(TLSFailure.takeReason())
    }
    guard let incoming = unsafe BIO_new(BIO_s_mem()), let outgoing = unsafe BIO_new(BIO_s_mem()) else {
      unsafe SSL_free(session)
      throw .session(TLSFailure.takeReason())
    }
    unsafe SSL_set_bio(session, incoming, outgoing)
    unsafe SSL_set_accept_state(session)
    unsafe self.session = session
    unsafe self.incoming = incoming
    unsafe self.outgoing = outgoing
  }

  deinit { unsafe SSL_free(session) }

  /// Whether the handshake is over, so that requests can come.
  public var isEstablished: Bool { unsafe SSL_get_state(session) == TLS_ST_OK }

  /// Whether the handshake was shortened by a ticket from an earlier session.
  public var isResumed: Bool { unsafe SSL_session_reused(session) == 1 }

  /// The certificate that the client showed, in DER, once the handshake is over.
  public var peerCertificate: [UInt8]? {
    guard let certificate = unsafe SSL_get1_peer_certificate(session) else { return nil }
    defer { unsafe X509_free(certificate) }
    let count = unsafe i2d_X509(certificate, nil)
    guard count > 0 else { return nil }
    var der = [UInt8](repeating: 0, count: Int(count))
    unsafe der.withUnsafeMutableBufferPointer {
      var cursor = $0.baseAddress
      _ = unsafe i2d_X509(certificate, &cursor)
    }
    return der
  }

  /// The protocol version, for example `TLSv1.3`.
  public var version: String { unsafe String(cString: SSL_get_version(session)) }

  /// Takes in bytes that came from the network.
  ///
  /// - Throws: ``TLSFailure/session(_:)`` when memory is short.
  public func receive(_ ciphertext: Span<UInt8>) throws(TLSFailure) {
    guard !ciphertext.isEmpty else { return }
    let taken = unsafe ciphertext.withUnsafeBytes { unsafe BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
    guard taken == ciphertext.count else { throw .session("out of memory") }
  }

  /// Goes on with the handshake, or decrypts what was received and writes it over `buffer` from `start` on.
  ///
  /// - Throws: ``TLSFailure/session(_:)`` when the peer breaks the protocol; there may be an alert to send.
  public func read(into buffer: inout [UInt8], from start: Int) throws(TLSFailure) -> Outcome {
    ERR_clear_error()
    let count = unsafe buffer.withUnsafeMutableBytes {
      let free = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[start...])
      return unsafe SSL_read(session, free.baseAddress, Int32(clamping: free.count))
    }
    guard count <= 0 else { return .bytes(Int(count)) }
    switch unsafe SSL_get_error(session, count) {
    case SSL_ERROR_WANT_READ: return .needsInput
    case SSL_ERROR_ZERO_RETURN: return .ended
    default: throw .session(TLSFailure.takeReason())
    }
  }

  /// Whether more of what was received waits to be read; a part of a record counts too.
  public var hasInput: Bool { unsafe SSL_pending(session) > 0 || BIO_ctrl_pending(incoming) > 0 }

  /// Encrypts `plaintext`; valid only after the handshake.
  ///
  /// - Throws: ``TLSFailure/session(_:)`` when the session is not established or was shut down.
  public func write(_ plaintext: Span<UInt8>) throws(TLSFailure) {
    ERR_clear_error()
    var start = 0
    while start < plaintext.count {
      let count = unsafe plaintext.extracting(droppingFirst: start).withUnsafeBytes {
        unsafe SSL_write(session, $0.baseAddress, Int32(clamping: $0.count))
      }
      guard count > 0 else { throw .session(TLSFailure.takeReason()) }
      start += Int(count)
    }
  }

  /// Whether ciphertext is ready to be sent.
  public var hasOutput: Bool { unsafe BIO_ctrl_pending(outgoing) > 0 }

  /// Appends the ciphertext that is ready to be sent to `buffer`.
  public func takeOutput(into buffer: inout [UInt8]) {
    let count = Int(unsafe BIO_ctrl_pending(outgoing))
    guard count > 0 else { return }
    buffer.reserveCapacity(buffer.count + count)
    buffer.append(addingCapacity: count) { free in
      unsafe free.withUnsafeMutableBufferPointer { storage, initialized in
        initialized += Int(max(unsafe BIO_read(outgoing, storage.baseAddress, Int32(clamping: count)), 0))
      }
    }
  }

  /// Says that nothing more comes; the `close_notify` is then ready to be sent.
  public func shutdown() {
    guard isEstablished else { return }
    unsafe SSL_shutdown(session)
    ERR_clear_error()
  }
}
