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
    let raw = unsafe raw
    try unsafe key.withPointer { (key) throws(CryptoError) in
      try unsafe check(EVP_CipherInit_ex2(raw, cipher, key, nonce, direction.rawValue, nil))
    }
  }

  /// Begins another message under the same key.
  func startAgain(nonce: [UInt8]) throws(CryptoError) {
    try unsafe check(EVP_CipherInit_ex2(raw, nil, nil, nonce, -1, nil))
  }

  /// Takes in bytes that are authenticated but not encrypted.
  func authenticate(_ context: [UInt8]) throws(CryptoError) {
    var count: Int32 = 0
    try unsafe check(EVP_CipherUpdate(raw, nil, &count, context, try size(context)))
  }

  /// Encrypts or decrypts all bytes at once.
  ///
  /// - Parameter input: The whole message.
  /// - Returns: As many bytes; while decrypting they are not authenticated yet.
  /// - Throws: ``CryptoError/library(_:)`` when OpenSSL refuses.
  func update(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
    if input.isEmpty { return [] }
    var output = [UInt8](repeating: 0, count: input.count)
    var count: Int32 = 0
    try unsafe check(EVP_CipherUpdate(raw, &output, &count, input, try size(input)))
    return output
  }

  /// Wraps or unwraps a key by the mode of RFC 3394, block by block with the cipher this was started with (ECB).
  ///
  /// OpenSSL's own key wrap cipher does not use the processor's AES instructions, and takes ten times as long.
  /// - Returns: `nil` for what is not authentic.
  func wrapped(_ input: [UInt8], _ direction: Direction) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: direction == .encrypt ? input.count + 8 : input.count - 8)
    unsafe EVP_CIPHER_CTX_set_padding(raw, 0)
    let mode = unsafe direction == .encrypt ? CRYPTO_128_wrap : CRYPTO_128_unwrap
    let count = unsafe mode(UnsafeMutableRawPointer(raw), nil, &output, input, input.count) { input, output, context in
      var count: Int32 = 0
      unsafe EVP_CipherUpdate(OpaquePointer(context), output, &count, input, 16)
    }
    guard count == output.count else {
      cleanse(&output)
      return nil
    }
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
