internal import COpenSSL

/// Algorithms fetched from OpenSSL once, because each late fetch takes a global lock.
///
/// Unsafe to the compiler because pointers are; safe because a fetched algorithm never changes and OpenSSL
/// documents it as shareable between threads.
@safe enum Fetched {
  nonisolated(unsafe) static let sha256 = unsafe present(EVP_MD_fetch(nil, "SHA256", nil))
  nonisolated(unsafe) static let sha512 = unsafe present(EVP_MD_fetch(nil, "SHA512", nil))
  nonisolated(unsafe) static let hmac = unsafe present(EVP_MAC_fetch(nil, "HMAC", nil))
  nonisolated(unsafe) static let hkdf = unsafe present(EVP_KDF_fetch(nil, "HKDF", nil))
  nonisolated(unsafe) static let aes256GCM = unsafe present(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
  nonisolated(unsafe) static let aes256ECB = unsafe present(EVP_CIPHER_fetch(nil, "AES-256-ECB", nil))

  private static func present(_ algorithm: OpaquePointer?) -> OpaquePointer {
    guard let algorithm = unsafe algorithm else { preconditionFailure("OpenSSL lacks an algorithm it must have") }
    return unsafe algorithm
  }
}
