internal import COpenSSL

/// OpenSSL as a whole.
public enum OpenSSLLifetime {
  /// Leaves the library as it is while the process exits: a thread that makes a key then would find its tables freed.
  ///
  /// Counts only before anything else of OpenSSL is used.
  public static func lastUntilTheEnd() {
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}
