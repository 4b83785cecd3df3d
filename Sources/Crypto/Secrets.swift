internal import COpenSSL

/// Whether two byte strings are equal, in time that depends on their lengths only.
public func constantTimeEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  guard one.count == other.count else { return false }
  return unsafe CRYPTO_memcmp(one, other, one.count) == 0
}

/// Overwrites secret bytes with zeros, which the optimizer cannot leave out, and empties the array.
///
/// Only this copy: give secrets on by reference or `inout`, and wipe the last one.
public func cleanse(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  bytes.removeAll()
}

/// Owner of secret bytes, wiped when the last reference goes; prints as `•••`.
///
/// `@unchecked Sendable`: the memory is written in `init` and `deinit` only, which no other thread can see.
@safe public final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  private let memory: UnsafeMutableBufferPointer<UInt8>

  public var count: Int { unsafe memory.count }

  public var description: String { "•••" }

  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Takes a copy; the caller's own array stays and is the caller's to ``cleanse(_:)``.
  public init(_ bytes: [UInt8]) {
    unsafe memory = .allocate(capacity: bytes.count)
    _ = unsafe memory.initialize(from: bytes)
  }

  deinit {
    unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    unsafe memory.deallocate()
  }

  /// Lends the memory itself to a call of the C library.
  func withPointer<Result>(
    _ body: (UnsafePointer<UInt8>?) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    try unsafe body(UnsafePointer(memory.baseAddress))
  }

  /// Lends a copy to `body` and wipes it afterwards.
  public func withBytes<Result, Failure: Error>(
    _ body: ([UInt8]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var copy = unsafe [UInt8](memory)
    defer { cleanse(&copy) }
    return try body(copy)
  }
}
