internal import COpenSSL

/// Owner of one `EVP_CIPHER_CTX`; freed, and its key wiped by OpenSSL, when it goes out of scope.
///
/// Not pooled: each sealed value has its own key, and a spare context would keep the last one.
@safe struct CipherContext: ~Copyable {
  enum Direction: Int32 { case decrypt = 0, encrypt = 1 }

  private let raw: OpaquePointer

  init() throws(CryptoError) { unsafe raw = try require(EVP_CIPHER_CTX_new()) }

  deinit { unsafe EVP_CIPHER_CTX_free(raw) }

  @unsafe func start(
    _ direction: Direction, _ cipher: OpaquePointer, key: SecretBytes, nonce: [UInt8]?
  ) throws(CryptoError) {
    unsafe EVP_CIPHER_CTX_set_flags(raw, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
    let raw = unsafe raw
    try unsafe key.withPointer { (key) throws(CryptoError) in
      try unsafe check(EVP_CipherInit_ex2(raw, cipher, key, nonce, direction.rawValue, nil))
    }
  }

  /// Takes in bytes that are authenticated but not encrypted.
  func authenticate(_ context: [UInt8]) throws(CryptoError) {
    var count: Int32 = 0
    try unsafe check(EVP_CipherUpdate(raw, nil, &count, context, try size(context)))
  }

  /// Encrypts or decrypts all bytes at once.
  ///
  /// - Parameters:
  ///   - input: The whole message.
  ///   - growth: By how many bytes the output may be longer.
  /// - Returns: The output; while decrypting with GCM it is not authenticated yet.
  /// - Throws: ``CryptoError/library(_:)``; with key wrap also when the input is not authentic.
  func update(_ input: [UInt8], growth: Int = 0) throws(CryptoError) -> [UInt8] {
    if input.isEmpty { return [] }
    var output = [UInt8](repeating: 0, count: input.count + growth)
    var count: Int32 = 0
    try unsafe check(EVP_CipherUpdate(raw, &output, &count, input, try size(input)))
    output.removeLast(output.count - Int(count))
    return output
  }

  /// Ends an encryption.
  func tag(count size: Int) throws(CryptoError) -> [UInt8] {
    var scratch: UInt8 = 0
    var count: Int32 = 0
    try unsafe check(EVP_CipherFinal_ex(raw, &scratch, &count))
    var tag = [UInt8](repeating: 0, count: size)
    try unsafe check(EVP_CIPHER_CTX_ctrl(raw, EVP_CTRL_AEAD_GET_TAG, Int32(size), &tag))
    return tag
  }

  /// Ends a decryption.
  func isAuthentic(tag: [UInt8]) -> Bool {
    var tag = tag
    var scratch: UInt8 = 0
    var count: Int32 = 0
    guard unsafe EVP_CIPHER_CTX_ctrl(raw, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
      unsafe EVP_CipherFinal_ex(raw, &scratch, &count) == 1
    else {
      ERR_clear_error()
      return false
    }
    return true
  }

  private func size(_ bytes: [UInt8]) throws(CryptoError) -> Int32 {
    guard let size = Int32(exactly: bytes.count) else { throw .library("more than 2 GiB at once") }
    return size
  }
}
