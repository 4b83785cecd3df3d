internal import COpenSSL

/// A cryptographic operation that could not be done, or data that does not authenticate.
///
/// A fault of ours or an attack; never shown to a client. Holds no key and no message.
public enum CryptoError: Error, Equatable {
  /// The key, the context or a single bit differs from what was sealed, wrapped or signed.
  case notAuthentic
  /// A key that is malformed, too weak, or of another kind than its algorithm needs; says which.
  case invalidKey(String)
  /// A password hash that cannot be read, or whose parameters are out of bounds; says which.
  case invalidHash(String)
  /// OpenSSL or libargon2 refused; the library's own reason.
  case library(String)
}

/// Throws what OpenSSL's error queue holds unless `code` is 1, its success; leaves the queue empty.
func check(_ code: Int32) throws(CryptoError) {
  guard code != 1 else { return }
  throw lastError()
}

/// The pointer OpenSSL made, or the reason why it made none.
func require(_ pointer: OpaquePointer?) throws(CryptoError) -> OpaquePointer {
  guard let pointer = unsafe pointer else { throw lastError() }
  return unsafe pointer
}

private func lastError() -> CryptoError {
  let code = ERR_peek_last_error()
  defer { ERR_clear_error() }
  guard let reason = unsafe ERR_reason_error_string(code) else { return .library("unknown reason") }
  return .library(unsafe String(cString: reason))
}
