internal import COpenSSL

/// Owner of one `EVP_MD_CTX`.
///
/// `@unchecked Sendable`: only a ``ContextPool`` or a context that itself comes from one holds it, so one
/// thread at a time uses it.
@safe final class DigestContext: @unchecked Sendable {
  let raw: OpaquePointer

  init() throws(CryptoError) { unsafe raw = try require(EVP_MD_CTX_new()) }

  deinit { unsafe EVP_MD_CTX_free(raw) }

  func sha256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try unsafe hash(message, with: Fetched.sha256, size: SHA256.size)
  }

  func sha512(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try unsafe hash(message, with: Fetched.sha512, size: SHA512.size)
  }

  private func hash(_ message: [UInt8], with algorithm: OpaquePointer, size: Int) throws(CryptoError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    try unsafe check(EVP_DigestInit_ex2(raw, algorithm, nil))
    try unsafe check(EVP_DigestUpdate(raw, message, message.count))
    try unsafe check(EVP_DigestFinal_ex(raw, &digest, nil))
    return digest
  }
}
