internal import COpenSSL

/// What a thread needs to sign or verify with one key, prepared once and used again and again.
///
/// `@unchecked Sendable`: only a ``ContextPool`` holds it, so one thread at a time uses it.
@safe final class SignatureContext: @unchecked Sendable {
  enum Operation { case sign, verify }

  private let key: KeyHandle
  private let digest: DigestContext
  /// Works on digests; `nil` for Ed25519, which takes whole messages through ``digest``.
  private var operation: OpaquePointer?

  init(_ operation: Operation, _ key: KeyHandle, _ algorithm: SignatureAlgorithm) throws(CryptoError) {
    self.key = key
    digest = try DigestContext()
    if algorithm == .edDSA {
      try startWhole(operation)
      return
    }
    let context = try unsafe require(EVP_PKEY_CTX_new_from_pkey(nil, key.raw, nil))
    unsafe self.operation = context
    switch operation {
    case .sign: try unsafe check(EVP_PKEY_sign_init(context))
    case .verify: try unsafe check(EVP_PKEY_verify_init(context))
    }
    if algorithm != .es256 { try unsafe prepareRSA(context, algorithm) }
  }

  deinit { unsafe EVP_PKEY_CTX_free(operation) }

  private func startWhole(_ operation: Operation) throws(CryptoError) {
    switch operation {
    case .sign: try unsafe check(EVP_DigestSignInit(digest.raw, nil, nil, nil, key.raw))
    case .verify: try unsafe check(EVP_DigestVerifyInit(digest.raw, nil, nil, nil, key.raw))
    }
  }

  private func prepareRSA(_ context: OpaquePointer, _ algorithm: SignatureAlgorithm) throws(CryptoError) {
    let padding = algorithm == .ps256 ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
    try unsafe check(EVP_PKEY_CTX_set_rsa_padding(context, padding))
    try unsafe check(EVP_PKEY_CTX_set_signature_md(context, Fetched.sha256))
    guard algorithm == .ps256 else { return }
    try unsafe check(EVP_PKEY_CTX_set_rsa_mgf1_md(context, Fetched.sha256))
    try unsafe check(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(SHA256.size)))
  }

  /// Signs in OpenSSL's own form: DER for ECDSA.
  func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    var count = key.signatureSize
    var signature = [UInt8](repeating: 0, count: count)
    if let operation = unsafe operation {
      let hash = try digest.sha256(message)
      try unsafe check(EVP_PKEY_sign(operation, &signature, &count, hash, hash.count))
    } else {
      try unsafe check(EVP_DigestSign(digest.raw, &signature, &count, message, message.count))
    }
    signature.removeLast(signature.count - count)
    return signature
  }

  /// Whether `signature`, in OpenSSL's own form, is one of `message`.
  func isValid(_ signature: [UInt8], _ message: [UInt8]) throws(CryptoError) -> Bool {
    defer { ERR_clear_error() }
    guard let operation = unsafe operation else {
      return unsafe EVP_DigestVerify(digest.raw, signature, signature.count, message, message.count) == 1
    }
    let hash = try digest.sha256(message)
    return unsafe EVP_PKEY_verify(operation, signature, signature.count, hash, hash.count) == 1
  }
}
