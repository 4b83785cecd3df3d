import COpenSSL

/// The names of certificates' subjects and issuers, as RFC 4514 writes them.
enum DistinguishedNames {
  /// The authorities that the server names in its request for a client certificate (RFC 8446 §4.2.4).
  @unsafe static func clientAuthorities(of tls: OpaquePointer) -> [String] {
    guard let list = unsafe SSL_get0_peer_CA_list(tls) else { return [] }
    let count = min(Int(unsafe OPENSSL_sk_num(list)), Handshake.mostAuthorities)
    return (0..<max(count, 0)).compactMap { position in
      unsafe OPENSSL_sk_value(list, Int32(position)).flatMap { unsafe text(of: OpaquePointer($0)) }
    }
  }

  /// Control characters come escaped; marks that turn the direction of writing do not.
  @unsafe private static func text(of name: OpaquePointer) -> String? {
    guard let memory = unsafe BIO_new(BIO_s_mem()) else { return nil }
    defer { unsafe BIO_free(memory) }
    guard unsafe X509_NAME_print_ex(memory, name, 0, copenssl_name_format) > 0 else {
      ERR_clear_error()
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Handshake.longestAuthority)
    let count = unsafe BIO_read(memory, &bytes, Int32(bytes.count))
    return count > 0 ? String(decoding: bytes.prefix(Int(count)), as: UTF8.self) : nil
  }
}
